//! Typed answers of runs that are recorded and resumed.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use windlass_agent::{Agent, AnswerSchema, ApproveAll, Outcome, RunOptions, StopCause};
use windlass_journal::{Durability, Journal, MemoryJournal, Record};
use windlass_protocol::{Capabilities, Support, ToolProtocol};

use crate::scene::{Scene, Shared, Way, way, ways};

const KYOTO: &str = r#"{"name":"Kyoto","people":1400000}"#;
const WRONG: &str = r#"{"name":"Kyoto","people":"many"}"#;

/// The capabilities of a model with native calls, whose provider enforces a schema or not.
fn capabilities(structured_output: Support) -> Capabilities {
    Capabilities { native_tools: Support::Yes, structured_output, ..Capabilities::default() }
}

fn schema() -> AnswerSchema {
    let schema = json!({
        "type": "object", "required": ["name", "people"], "additionalProperties": false,
        "properties": { "name": { "type": "string" }, "people": { "type": "integer" } },
    });
    AnswerSchema::new(&(&schema).into()).unwrap()
}

fn call(name: &str, arguments: &str) -> Value {
    json!({ "steps": [{ "call": { "name": name, "arguments": arguments } }], "piece": 3 })
}

fn scene(way: Way, turns: &[Value]) -> Scene {
    Scene::new(&json!({ "turns": turns }).to_string(), way).without_completion()
}

fn agent(scene: &Scene, structured_output: Support) -> Agent {
    let builder = scene.builder().capabilities(capabilities(structured_output)).hook(schema());
    builder.answer_corrections(1).approver(ApproveAll).build().unwrap()
}

fn native_ways() -> impl Iterator<Item = Way> {
    ways().into_iter().filter(|way| way.protocol == ToolProtocol::Native)
}

async fn start(scene: &Scene, structured_output: Support) -> (Outcome, Vec<Record>) {
    let (agent, journal) = (agent(scene, structured_output), Shared::default());
    let options = RunOptions::default().with_journal(journal.clone());
    let (task, options) = schema().begin(&agent, "Which?", options);
    let report = agent.run_with(task, options).await.unwrap();
    (report.outcome, journal.records().unwrap())
}

async fn resume(scene: &Scene, structured_output: Support, records: &[Record]) -> Outcome {
    let mut journal = MemoryJournal::default();
    for record in records {
        journal.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
    }
    let agent = agent(scene, structured_output);
    let options = schema().resume(&agent, RunOptions::default().with_journal(journal));
    agent.resume(options).unwrap().report().await.unwrap().outcome
}

/// Returns whether a request offers a tool, in any format.
fn offers(request: &Value, name: &str) -> bool {
    request["tools"].to_string().contains(&format!(r#""name":"{name}""#))
}

#[tokio::test]
async fn a_recorded_run_answers_by_a_call_and_is_resumed_after_any_record() {
    for way in native_ways() {
        let format = way.wire.name();
        let turns = [call("look", "{}"), call("answer", WRONG), call("answer", KYOTO)];
        let first = scene(way.clone(), &turns);
        let (outcome, records) = start(&first, Support::No).await;
        assert_eq!(outcome.to_string(), KYOTO, "{format}");
        let requests = first.model.requests();
        assert_eq!(requests.len(), 3, "{format}");
        for request in &requests {
            assert!(offers(request, "answer") && offers(request, "look"), "{format}: {request}");
        }
        let last = requests[2].to_string();
        assert!(last.contains("Give the answer by a call of the tool `answer`."), "{format}: {last}");
        assert!(last.contains("The answer cannot be used") && last.contains("people"), "{format}: {last}");

        for at in 1..records.len() - 1 {
            let later = scene(way.clone(), &turns);
            let outcome = resume(&later, Support::No, &records[..at]).await;
            assert_eq!(outcome.to_string(), KYOTO, "{format}: cut at {at}");
            let requests = later.model.requests();
            assert!(requests.iter().all(|request| offers(request, "answer")), "{format}: cut at {at}");
            assert!(later.read.calls.load(Ordering::SeqCst) <= 1, "{format}: cut at {at}");
        }
    }
}

// The machine counts the calls that do not fit, so a resume does not begin a new count.
#[tokio::test]
async fn a_run_whose_calls_never_fit_stops_at_the_same_call_after_a_resume() {
    let turns: Vec<Value> = (0..8).map(|_| call("answer", WRONG)).collect();
    let first = scene(way(), &turns);
    let (outcome, records) = start(&first, Support::No).await;
    assert!(matches!(outcome, Outcome::Stopped { cause: StopCause::MistakeLimit }), "{outcome:?}");
    // Three mistakes in a row are permitted to any run.
    let whole = first.model.requests().len();
    assert_eq!(whole, 3);
    let is_result = |record: &Record| record.body.as_str().contains(r#""entry":"result""#);
    let ended = records.iter().position(is_result).unwrap();
    let later = scene(way(), &turns);
    let outcome = resume(&later, Support::No, &records[..=ended]).await;
    assert!(matches!(outcome, Outcome::Stopped { cause: StopCause::MistakeLimit }), "{outcome:?}");
    assert_eq!(later.model.requests().len(), whole - 1);
}

// The facts about a model can change between two processes.
#[tokio::test]
async fn a_run_is_resumed_on_another_path_than_it_began() {
    for (before, after) in [(Support::No, Support::Yes), (Support::Yes, Support::No)] {
        let first = scene(way(), &[call("look", "{}"), json!({"steps": [{"text": KYOTO}]})]);
        let (_, records) = start(&first, before).await;
        for at in 1..records.len() - 1 {
            let later = scene(way(), &[call("look", "{}"), json!({"steps": [{"text": KYOTO}]})]);
            let outcome = resume(&later, after, &records[..at]).await;
            assert_eq!(outcome.to_string(), KYOTO, "cut at {at}");
        }
    }
}

// The recorded choice names the tool of the answer, which the later agent does not have.
#[tokio::test]
async fn a_demanded_tool_that_a_resumed_run_does_not_have_is_not_demanded() {
    let plain = |scene: &Scene, structured_output| {
        let builder = Agent::builder().model(scene.model.clone(), "scripted-1").hook(schema());
        builder.capabilities(capabilities(structured_output)).build().unwrap()
    };
    let turns = [json!({"steps": [{"text": KYOTO}]})];
    let (first, journal) = (scene(way(), &turns), Shared::default());
    let began = plain(&first, Support::No);
    let (task, options) =
        schema().begin(&began, "Which?", RunOptions::default().with_journal(journal.clone()));
    began.run_with(task, options).await.unwrap();
    assert_eq!(first.model.requests()[0]["tool_choice"]["function"]["name"], "answer");

    let (later, mut cut) = (scene(way(), &turns), MemoryJournal::default());
    let started = &journal.records().unwrap()[0];
    cut.append(started.body.clone(), started.at_ms, Durability::Buffered).unwrap();
    let agent = plain(&later, Support::Yes);
    let options = schema().resume(&agent, RunOptions::default().with_journal(cut));
    let outcome = agent.resume(options).unwrap().report().await.unwrap().outcome;
    assert_eq!(outcome.to_string(), KYOTO);
    assert!(later.model.requests()[0].get("tool_choice").is_none_or(|choice| choice == "auto"));
}

#[tokio::test]
async fn a_model_with_an_enforced_schema_or_without_native_calls_gets_no_tool() {
    let enforced = scene(way(), &[json!({"steps": [{"text": KYOTO}]})]);
    start(&enforced, Support::Yes).await;
    let request = &enforced.model.requests()[0];
    assert!(!offers(request, "answer") && request.get("response_format").is_some(), "{request}");

    let text = ways().into_iter().find(|way| way.protocol == ToolProtocol::Text).unwrap();
    let text = scene(text, &[json!({"steps": [{"text": KYOTO}]})]);
    let (outcome, _) = start(&text, Support::No).await;
    assert_eq!(outcome.to_string(), KYOTO);
    let request = text.model.requests()[0].to_string();
    assert!(request.contains("Answer with one JSON object"), "{request}");
}
