//! Records of all earlier versions, unchanged, which every later version can read.

use windlass_loop::{
    Budget, Command, Entry, InterruptId, InterruptReason, Machine, Outcome, ResumeError, UnknownEffects, Wait,
};
use windlass_protocol::RequestOptions;

use crate::driven::{Driven, check_paired, config};

/// The version and the record, one entry a line. They are never edited: a change that breaks one of them breaks the runs
/// that people have on their disks.
const RECORDS: [(u32, &str); 9] = [
    (1, include_str!("../golden/record-1.jsonl")),
    (2, include_str!("../golden/record-2.jsonl")),
    (3, include_str!("../golden/record-3.jsonl")),
    (4, include_str!("../golden/record-4.jsonl")),
    (5, include_str!("../golden/record-5.jsonl")),
    (6, include_str!("../golden/record-6.jsonl")),
    (7, include_str!("../golden/record-7.jsonl")),
    (8, include_str!("../golden/record-8.jsonl")),
    (9, include_str!("../golden/record-9.jsonl")),
];

/// The record of the newest version.
const NEWEST: &str = RECORDS[8].1;

/// Records of version 5 that end in a question about the budget, which had no id then. In the second record a call
/// was cut off before the question.
const WAITING: [&str; 2] =
    [include_str!("../golden/record-5-waiting.jsonl"), include_str!("../golden/record-5-cut-off.jsonl")];

fn read(text: &str) -> Vec<Entry> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_record_version_has_a_fixture() {
    let versions: Vec<u32> = RECORDS.iter().map(|(version, _)| *version).collect();
    let all: Vec<u32> = (1..=Entry::VERSION).collect();
    assert_eq!(versions, all, "a new version needs a record of its own");
    for (version, text) in RECORDS {
        assert!(matches!(read(text)[0], Entry::Started { version: written, .. } if written == version));
    }
}

// R5, F37: a record of any version that ends anywhere can be resumed.
#[test]
fn a_record_of_any_version_resumes_from_any_cut() {
    for (version, text) in RECORDS {
        let record = read(text);
        for cut in 1..=record.len() {
            let (machine, effects) = match Machine::resume(config(), record[..cut].to_vec(), 0) {
                Ok(resumed) => resumed,
                Err(ResumeError::Completed) => {
                    assert!(
                        matches!(record[cut - 1], Entry::Finished { outcome: Outcome::Completed { .. } }),
                        "version {version}, cut {cut}"
                    );
                    continue;
                }
                Err(error) => panic!("version {version}, cut {cut}: {error}"),
            };
            check_paired(machine.transcript().messages());
            assert!(!effects.is_empty(), "version {version}, cut {cut} goes on");
        }
    }
}

#[test]
fn an_old_record_resumes_with_its_recorded_texts() {
    for (version, text) in RECORDS {
        let record = read(text);
        let end = record.iter().rposition(|entry| matches!(entry, Entry::Result { .. })).unwrap();
        let (machine, effects) = Machine::resume(config(), record[..end].to_vec(), 0).unwrap();
        let run = Driven { machine, effects, now: 0 };
        let texts = run.texts_of_results();
        // The newest record states that its results were left out.
        let says = if version < 4 { "text" } else { "were left out to make room" };
        assert!(texts.contains(says), "version {version}: {texts}");
    }
}

// F37: a record of a later version is refused with an error and not changed.
#[test]
fn a_record_of_a_later_version_is_refused() {
    let later = NEWEST.replace(r#""version":9"#, r#""version":10"#);
    let error = Machine::resume(config(), read(&later), 0).unwrap_err();
    assert_eq!(error.to_string(), "the record has version 10, this program reads up to 9");
    assert!(serde_json::from_str::<Entry>(r#"{"entry":"from_the_future"}"#).is_err());
}

// F37: unknown fields do not make an entry invalid.
#[test]
fn unknown_fields_are_read_over() {
    let text = NEWEST.replace(r#"{"entry":"intent","#, r#"{"entry":"intent","from_the_future":{"x":[1]},"#);
    assert!(text.contains("from_the_future"));
    assert_eq!(read(&text), read(NEWEST));
}

/// Compares the record that this version writes with the stored record of the newest version.
#[test]
fn a_suspended_run_writes_what_the_newest_record_has() {
    let kinds = |entries: &[Entry]| -> Vec<String> {
        let kind = |entry| serde_json::to_value(entry).unwrap()["entry"].as_str().unwrap().to_owned();
        let mut kinds: Vec<String> = entries.iter().map(kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    let record = read(NEWEST);
    let written = crate::suspension::everything();
    assert_eq!(kinds(&written), kinds(&record), "each kind of entry stands in the newest record");
}

// Questions had no id before version 6. A question of a resumed run with the same text is the same question.
#[test]
fn a_question_of_an_old_record_takes_the_answer_that_was_left_for_it() {
    for (text, is_cut_off) in WAITING.into_iter().zip([false, true]) {
        let record = read(text);
        let Some(Entry::Finished { outcome: Outcome::Suspended { waits } }) = record.last().cloned() else {
            panic!("the record ends in a question")
        };
        let [Wait::InterruptReply { id, .. }] = waits[..] else { panic!("{waits:?}") };
        assert_eq!(id, InterruptId::default());
        let budget = Budget { requests: 1, ..Budget::default() };
        let config = config().with_budget(budget).with_unknown_effects(UnknownEffects::AskHuman);
        let (machine, effects) = Machine::resume(config, record, 0).unwrap();
        let mut run = Driven { machine, effects, now: 0 };
        assert_eq!(run.asked(), id);
        run.guide(Some("yes"));
        if is_cut_off {
            assert_eq!(
                run.asked(),
                InterruptId::new(InterruptReason::UnknownEffects, 1),
                "it is another question"
            );
            run.guide(Some("look first"));
        }
        assert!(run.is_sent());
        check_paired(run.machine.transcript().messages());
    }
}

// A resumed run keeps the options that it was started with; a record without options leaves those of the configuration.
#[test]
fn a_resumed_run_keeps_its_recorded_options() {
    let own = config().with_options(RequestOptions::default().with_temperature(0.75));
    let options = |text: &str| {
        let record = read(text)[..3].to_vec();
        let (machine, commands) = Machine::resume(own.clone(), record, 0).unwrap();
        drop(machine);
        commands.into_iter().find_map(|command| match command {
            Command::Send { request, .. } => Some(request.options),
            _ => None,
        })
    };
    let newest = options(NEWEST).unwrap();
    assert_eq!((newest.temperature, newest.max_output_tokens), (Some(0.25), Some(4_000)));
    assert_eq!(options(RECORDS[6].1).unwrap().temperature, Some(0.75));
}
