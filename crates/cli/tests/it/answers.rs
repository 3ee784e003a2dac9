//! Answers to the questions of suspended runs, from several processes at once and in random order: an answer counts for
//! the question with its id, once, and only after the question was asked (security 10).

use std::collections::BTreeMap;
use std::process::{Child, Stdio};

use serde_json::Value;
use windlass_mock::ScriptedProvider;

use crate::program::{Place, provider, text};

/// Calls in a turn of a run.
const CALLS: usize = 4;
/// Processes that answer at the same time.
const PROCESSES: usize = 6;

/// A small generator, so that a failure can be run again by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

fn script() -> String {
    let calls: Vec<String> = (0..CALLS)
        .map(|at| {
            format!(
                r#"{{"call": {{"id": "call_{at}", "name": "write_file", "arguments": {{"path": "{at}.txt", "content": "1"}}}}}}"#
            )
        })
        .collect();
    format!(
        r#"{{"turns": [{{"steps": [{}]}},
        {{"steps": [{{"call": {{"name": "attempt_completion", "arguments": {{"result": "done"}}}}}}]}}]}}"#,
        calls.join(", ")
    )
}

/// Returns the open questions of a run by the file that their call writes, with the stored answer of each.
fn questions(place: &Place, run: &str) -> BTreeMap<String, (String, Option<bool>)> {
    let listed = text(&place.run(&["approvals", "list", run, "--json"]).stdout);
    let Some(line) = listed.lines().next() else { return BTreeMap::new() };
    let line: Value = serde_json::from_str(line).unwrap();
    let questions = line["approvals"].as_array().unwrap().iter();
    let of = |question: &Value| {
        let call = question["request"]["call"]["id"].as_str().unwrap().to_owned();
        let id = question["request"]["request_id"].as_str().unwrap().to_owned();
        (call, (id, question["answer"]["approved"].as_bool()))
    };
    questions.map(of).collect()
}

/// Two suspended runs in one place.
fn suspended(place: &Place, providers: &[ScriptedProvider; 2]) -> [String; 2] {
    let mut runs: Vec<String> = Vec::new();
    for provider in providers {
        let url = provider.base_url();
        let ended =
            place.run(&["run", "x", "--base-url", &url, "--model", "m", "--suspend", "--no-checkpoints"]);
        assert_eq!(ended.status.code(), Some(75), "{}", text(&ended.stderr));
        let listed = text(&place.run(&["approvals", "list"]).stdout);
        let new = listed.lines().find(|line| !line.starts_with(' ') && !runs.iter().any(|run| run == line));
        runs.push(new.unwrap().to_owned());
    }
    runs.try_into().unwrap()
}

/// Starts processes that each answer one question of the first run, or a question that this run does not have.
/// Returns the answers that were taken, by the call.
fn answered(
    place: &Place,
    random: &mut Random,
    run: &str,
    open: &[BTreeMap<String, (String, Option<bool>)>; 2],
) -> BTreeMap<String, Vec<bool>> {
    let mut started: Vec<(Child, Option<(String, bool)>)> = Vec::new();
    for _ in 0..PROCESSES {
        let (call, (id, _)) = open[0].iter().nth(random.below(CALLS)).unwrap();
        let stranger = &open[1].values().nth(random.below(CALLS)).unwrap().0;
        let (named, is_one) = match random.below(5) {
            0 => (stranger.as_str(), false),
            1 => ("0123456789abcdef0123456789abcdef", false),
            2 => (call.as_str(), true),
            _ => (id.as_str(), true),
        };
        let is_yes = random.below(2) == 0;
        let verb = if is_yes { "approve" } else { "deny" };
        let mut command = place.command(&["approvals", verb, run, named]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        started.push((child, is_one.then(|| (call.clone(), is_yes))));
    }
    let mut given: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    for (mut child, answer) in started {
        assert_eq!(child.wait().unwrap().success(), answer.is_some());
        if let Some((call, is_yes)) = answer {
            given.entry(call).or_default().push(is_yes);
        }
    }
    given
}

async fn round(seed: u64) {
    let mut random = Random(seed);
    let place = Place::new();
    let providers = [provider(&script()).await, provider(&script()).await];
    let runs = suspended(&place, &providers);
    let open = runs.each_ref().map(|run| questions(&place, run));
    let given = answered(&place, &mut random, &runs[0], &open);
    let left = questions(&place, &runs[0]);
    for (call, (_, answer)) in &left {
        let of_call = given.get(call).cloned().unwrap_or_default();
        // The last of several answers to one question counts.
        assert!(answer.map_or(of_call.is_empty(), |answer| of_call.contains(&answer)), "seed {seed}: {call}");
    }
    assert!(questions(&place, &runs[1]).values().all(|(_, answer)| answer.is_none()), "seed {seed}");
    let resumed = place.run(&["run", "--resume", &runs[0]]);
    let told = text(&resumed.stdout) + &text(&resumed.stderr);
    let file = |call: &str| place.project().join(format!("{}.txt", call.trim_start_matches("call_")));
    for (call, (id, answer)) in &left {
        assert_eq!(file(call).exists(), *answer == Some(true), "seed {seed}: {call}: {told}");
        drop(std::fs::remove_file(file(call)));
        // An answer counts once: a later one to the same question is refused, and nothing runs again.
        let again = place.run(&["approvals", "approve", &runs[0], id]);
        assert_eq!(again.status.success(), answer.is_none(), "seed {seed}: {call}");
    }
    assert_eq!(
        resumed.status.success(),
        left.values().all(|(_, answer)| answer.is_some()),
        "seed {seed}: {told}"
    );
    place.run(&["run", "--resume", &runs[0]]);
    for (call, (_, answer)) in &left {
        assert_eq!(file(call).exists(), answer.is_none(), "seed {seed}: {call}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_several_processes_count_for_their_question_once() {
    let rounds =
        std::env::var("WINDLASS_ANSWER_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    for seed in 1..=rounds {
        round(seed).await;
    }
}
