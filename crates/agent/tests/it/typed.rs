//! Answers of a type.

use std::collections::BTreeMap;

use serde::Deserialize;
use windlass_agent::{Agent, AgentError};
use windlass_protocol::{Capabilities, Support, ToolProtocol};
use windlass_tool_args::schemars::{self, JsonSchema};

use crate::scene::{Scene, Way, way, ways};

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct City {
    name: String,
    people: u64,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Found {
    City(City),
    Nothing { reason: String },
}

fn turns(texts: &[&str]) -> String {
    let turn = |text: &&str| serde_json::json!({ "steps": [{ "text": text }] });
    serde_json::json!({ "turns": texts.iter().map(turn).collect::<Vec<_>>() }).to_string()
}

/// A scene whose model gives these answers, one after the other.
fn scene(way: Way, texts: &[&str]) -> Scene {
    Scene::new(&turns(texts), way).without_completion()
}

fn agent(scene: &Scene) -> Agent {
    scene.builder().build().unwrap()
}

fn kyoto() -> City {
    City { name: "Kyoto".into(), people: 1_400_000 }
}

const KYOTO: &str = r#"{"name": "Kyoto", "people": 1400000}"#;

#[tokio::test]
async fn an_answer_is_a_value_in_every_wire_format_and_protocol() {
    for way in ways() {
        // The linter knows that Gemini enforces no schema beside functions. A call takes its place.
        let is_native = way.protocol == ToolProtocol::Native;
        let is_call = is_native && way.wire.name() == "gemini";
        let scene = scene(way, &[KYOTO]);
        let report = agent(&scene).run_as::<City>("Which?").await.unwrap();
        assert_eq!(report.answer, kyoto());
        let request = scene.model.requests()[0].to_string();
        let place = format!("{} {:?}: {request}", scene.way.wire.name(), scene.way.protocol);
        // Calls in structured output leave no place for another schema.
        let is_enforced = request.contains("json_schema") && scene.way.protocol != ToolProtocol::Structured;
        assert_eq!(is_enforced, is_native && !is_call, "{place}");
        assert_eq!(request.contains("Takes the answer of the task"), is_call, "{place}");
        assert_eq!(request.contains("Answer with one JSON object"), !is_native, "{place}");
    }
}

#[tokio::test]
async fn unions_lists_maps_and_plain_values_are_answers() {
    let found = r#"{"answer": {"kind": "city", "name": "Kyoto", "people": 1400000}}"#;
    let report = agent(&scene(way(), &[found])).run_as::<Found>("Which?").await.unwrap();
    assert_eq!(report.answer, Found::City(kyoto()));
    let nothing = r#"{"answer": {"kind": "nothing", "reason": "no such city"}}"#;
    let report = agent(&scene(way(), &[nothing])).run_as::<Found>("Which?").await.unwrap();
    assert_eq!(report.answer, Found::Nothing { reason: "no such city".into() });
    let list = agent(&scene(way(), &[r#"{"answer": [1, 2]}"#])).run_as::<Vec<u8>>("Which?").await.unwrap();
    assert_eq!(list.answer, [1, 2]);
    let number = agent(&scene(way(), &[r#"{"answer": 4}"#])).run_as::<i64>("How many?").await.unwrap();
    assert_eq!(number.answer, 4);
    let map = agent(&scene(way(), &[r#"{"a": 1}"#])).run_as::<BTreeMap<String, u8>>("Which?").await.unwrap();
    assert_eq!(map.answer["a"], 1);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_corrected() {
    let fenced = format!("Of course:\n```json\n{KYOTO}\n```");
    let scene = scene(way(), &["It is Kyoto.", r#"{"name": "Kyoto", "people": "many"}"#, &fenced]);
    let report = agent(&scene).run_as::<City>("Which?").await.unwrap();
    assert_eq!(report.answer, kyoto());
    assert_eq!(report.report.used.requests, 3, "the corrections count");
    let last = scene.model.requests().pop().unwrap().to_string();
    assert!(last.contains("it is not a JSON object"), "{last}");
    assert!(last.contains("people"), "{last}");
}

#[tokio::test]
async fn an_answer_that_never_fits_is_an_error_with_its_text() {
    let scene = scene(way(), &["One.", "Two.", "Three.", "Four."]);
    let error = agent(&scene).run_as::<City>("Which?").await.unwrap_err();
    assert!(matches!(&error, AgentError::Answer { text, .. } if text == "Three."), "{error}");
    assert_eq!(scene.model.requests().len(), 3);
    let never = scene.builder().answer_corrections(0).build().unwrap();
    let error = never.run_as::<City>("Which?").await.unwrap_err();
    assert!(matches!(&error, AgentError::Answer { text, .. } if text == "One."), "{error}");
}

#[tokio::test]
async fn without_structured_output_the_schema_is_in_the_prompt() {
    let scene = scene(way(), &[KYOTO]);
    let capabilities = Capabilities { structured_output: Support::No, ..Capabilities::default() };
    let agent = scene.builder().protocols([]).capabilities(capabilities).build().unwrap();
    assert_eq!(agent.run_as::<City>("Which?").await.unwrap().answer, kyoto());
    let request = scene.model.requests()[0].to_string();
    assert!(!request.contains("response_format") && request.contains("people"), "{request}");
}

#[tokio::test]
async fn a_session_mixes_typed_and_text_answers() {
    let scene = scene(way(), &["hello", KYOTO, "bye"]);
    let mut session = agent(&scene).session();
    session.send("Hello.").await.unwrap();
    assert_eq!(session.send_as::<City>("Which?").await.unwrap().answer, kyoto());
    assert_eq!(session.send("Bye.").await.unwrap().text(), Some("bye"));
    let last = scene.model.requests().pop().unwrap();
    assert_eq!(last.get("response_format"), None, "the format holds for its own task only");
}
