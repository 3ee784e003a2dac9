//! Answers for many schemas, with violations, in every wire format.
#![expect(
    clippy::panic,
    clippy::print_stdout,
    reason = "a proof names the case that fails, and prints its counts"
)]

mod cases;
mod sources;

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;
use windlass_agent::{Agent, AgentError, Event, TypedEvent};
use windlass_mock::{Script, ScriptedModel};
use windlass_partial_json::Parser;
use windlass_protocol::{RawJson, ToolProtocol};
use windlass_schema::Checker;
use windlass_testkit::{Need, require};

use self::cases::{Expected, Path, VIOLATIONS, Violation, takes_call, wraps};
use self::sources::{Subject, corpus_subjects, own_subjects};
use crate::scene::ways;

/// The time after which a run counts as hanging, on a clock that advances while nothing else happens.
const HANG: Duration = Duration::from_hours(1);

/// The ends of the runs, by violation and kind of end.
#[derive(Debug, Default)]
struct Counts {
    runs: usize,
    partials: usize,
    ends: BTreeMap<(Violation, &'static str), usize>,
}

impl Counts {
    fn of(&self, violation: Violation, end: &str) -> usize {
        self.ends
            .iter()
            .filter(|((of, kind), _)| *of == violation && *kind == end)
            .map(|(_, count)| count)
            .sum()
    }

    fn all_of(&self, violation: Violation) -> usize {
        ["typed", "corrected", "error"].into_iter().map(|end| self.of(violation, end)).sum()
    }

    fn all(&self, end: &str) -> usize {
        VIOLATIONS.iter().map(|violation| self.of(*violation, end)).sum()
    }
}

/// Runs the violations of each schema, in each wire format, on each path of the answer. If `share` is 3, every third
/// violation runs; which ones depends on the schema, the format and the path.
async fn run_all(subjects: &[Subject], share: usize) -> Counts {
    let mut counts = Counts::default();
    let wires: Vec<_> = ways().into_iter().filter(|way| way.protocol == ToolProtocol::Native).collect();
    assert_eq!(wires.len(), 4);
    for (at, subject) in subjects.iter().enumerate() {
        let checker = Checker::compile(&RawJson::from(&subject.schema)).unwrap();
        for (number, way) in wires.iter().enumerate() {
            for (step, path) in Path::ALL.into_iter().enumerate() {
                if path == Path::Call && !takes_call(way.wire.as_ref(), subject) {
                    continue;
                }
                for (turn, violation) in VIOLATIONS.into_iter().enumerate() {
                    if !(at + number + step + turn).is_multiple_of(share) {
                        continue;
                    }
                    let Some((script, expected)) = violation.script(subject, path) else { continue };
                    let script = Script::parse(&script.to_string()).unwrap();
                    let model = ScriptedModel::new(script, way.wire.clone());
                    let agent = path.agent(model);
                    let place = format!("{} {} {path:?} {violation:?}", subject.name, way.wire.name());
                    let run = run(&agent, subject, &place, &mut counts.partials);
                    let end =
                        tokio::time::timeout(HANG, run).await.unwrap_or_else(|_| panic!("{place}: hangs"));
                    let kind = judge(&place, subject, &checker, expected, end);
                    counts.runs += 1;
                    *counts.ends.entry((violation, kind)).or_default() += 1;
                }
            }
        }
    }
    counts
}

/// Collects the text in which the answer arrives.
fn collect_text(event: &Event, text: &mut String) {
    match event {
        Event::TurnStarted { .. } | Event::AttemptDiscarded { .. } | Event::CallStarted { .. } => {
            text.clear();
        }
        Event::Text { text: more } | Event::CallArguments { delta: more, .. } => text.push_str(more),
        _ => {}
    }
}

/// Runs one case and compares each partial value with a parser of the prefix. Returns the number of corrections, and
/// the answer or the error.
async fn run(
    agent: &Agent,
    subject: &Subject,
    place: &str,
    partials: &mut usize,
) -> (u32, Result<Value, AgentError>) {
    let schema = RawJson::from(&subject.schema);
    let mut stream = agent.stream_with_schema("Which?", &schema).unwrap();
    let (mut text, mut corrections, mut end) = (String::new(), 0, None);
    while let Some(event) = stream.next().await {
        assert!(end.is_none(), "{place}: nothing follows the end");
        match event {
            Ok(TypedEvent::Run(event)) => collect_text(&event, &mut text),
            Ok(TypedEvent::Partial) => {
                *partials += 1;
                let mut parser = Parser::new();
                let _: Result<_, _> = parser.push(&text[text.find('{').unwrap()..]);
                let snapshot = parser.snapshot();
                let node = if wraps(&subject.schema) { snapshot.get("answer") } else { snapshot.root() };
                assert_eq!(
                    stream.to_value(),
                    node.and_then(windlass_partial_json::Node::to_value),
                    "{place}: {text}"
                );
            }
            Ok(TypedEvent::Correction { number, problem, .. }) => {
                corrections = number;
                assert!(!problem.is_empty() && problem.len() < 4_000, "{place}: {problem}");
            }
            Ok(TypedEvent::Answer(report)) => end = Some(Ok(report.answer)),
            Ok(_) => {}
            Err(error) => end = Some(Err(error)),
        }
    }
    (corrections, end.unwrap_or_else(|| panic!("{place}: no end")))
}

/// Checks the end of a run and returns its kind.
fn judge(
    place: &str,
    subject: &Subject,
    checker: &Checker,
    expected: Expected,
    (corrections, end): (u32, Result<Value, AgentError>),
) -> &'static str {
    match (expected, end) {
        (Expected::Never, Err(AgentError::Answer { problem, text })) => {
            assert!(!problem.is_empty() && !text.is_empty(), "{place}");
            assert_eq!(corrections, 2, "{place}");
            "error"
        }
        (Expected::Failed, Err(AgentError::Failed { message })) => {
            assert_eq!(
                (corrections, message.as_str()),
                (0, "the answer was cut at the limit of tokens"),
                "{place}"
            );
            "error"
        }
        (Expected::AtOnce, Ok(answer)) => {
            assert_eq!((corrections, &answer), (0, &subject.value), "{place}");
            "typed"
        }
        (Expected::Corrected | Expected::Returned, Ok(answer)) if corrections > 0 => {
            assert_eq!(answer, subject.value, "{place}");
            "corrected"
        }
        // The changed value fits too, for example after its coercion.
        (Expected::Corrected, Ok(answer)) => {
            assert!(checker.check_value(&answer).is_ok(), "{place}: {answer}");
            "typed"
        }
        (_, end) => panic!("{place}: {corrections} corrections, {end:?}"),
    }
}

/// Prints the counts and checks what holds for every set of schemas.
fn report(name: &str, subjects: &[Subject], counts: &Counts) {
    println!("{name}: {} schemas, {} runs, {} partial values", subjects.len(), counts.runs, counts.partials);
    for ((violation, end), count) in &counts.ends {
        println!("{name}:   {violation:?}: {count} {end}");
    }
    let (typed, corrected, error) = (counts.all("typed"), counts.all("corrected"), counts.all("error"));
    assert_eq!(typed + corrected + error, counts.runs, "every run ends typed or in a typed error");
    for violation in [Violation::None, Violation::Prose, Violation::Cut] {
        assert_eq!(counts.of(violation, "corrected") + counts.of(violation, "error"), 0, "{violation:?}");
    }
    assert_eq!(counts.of(Violation::Always, "error"), counts.all_of(Violation::Always));
    // A call that was cut is returned to the model. A text that was cut ends the run.
    assert_eq!(counts.of(Violation::Truncated, "typed"), 0);
    assert!(counts.partials > counts.runs, "partial values were compared");
}

#[tokio::test(start_paused = true)]
async fn forty_schemas_of_our_own_end_typed_or_in_a_typed_error() {
    let subjects = own_subjects();
    assert_eq!(subjects.len(), 40);
    let counts = run_all(&subjects, 1).await;
    report("own schemas", &subjects, &counts);
    // 40 schemas, 4 formats, 2 paths of text, and a call for the schemas of JSON Schema; all but the violations that need an
    // object.
    let calls = counts.of(Violation::Truncated, "corrected");
    assert!(calls > 150, "{calls}");
    assert_eq!(counts.of(Violation::None, "typed"), 320 + calls);
    assert_eq!(counts.of(Violation::Prose, "typed"), 320 + calls);
    assert_eq!(counts.of(Violation::Cut, "typed"), 320 + calls);
    assert_eq!(counts.of(Violation::Truncated, "error"), 320);
    assert_eq!(counts.of(Violation::Always, "error"), 320 + calls);
    assert!(counts.of(Violation::MissingField, "corrected") > 375);
    assert!(counts.of(Violation::WrongType, "corrected") > 375);
}

#[tokio::test(start_paused = true)]
async fn schemas_of_the_corpora_end_typed_or_in_a_typed_error() {
    let mut subjects = require!(Need::Corpora, corpus_subjects());
    subjects.extend(own_subjects());
    let counts = run_all(&subjects, 3).await;
    report("corpus: schemas", &subjects, &counts);
    assert!(subjects.len() >= 200, "{}", subjects.len());
    assert!(counts.runs > 4_000, "{}", counts.runs);
    assert!(counts.all("corrected") > 1_000 && counts.all("error") > 500);
}
