//! Typed answers as the arguments of a call, for models whose provider enforces no schema.

use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use serde_json::{Value, json};
use windlass_agent::{Agent, AgentBuilder, AgentError, TypedEvent};
use windlass_protocol::{Capabilities, Effect, Hints, RequestOptions, Support, ToolChoice, ToolProtocol};
use windlass_tool_args::ToolArgs;

use crate::scene::{Counting, Scene, Way, way, ways};

#[derive(Clone, Debug, PartialEq, ToolArgs)]
struct City {
    name: String,
    people: u64,
}

const KYOTO: &str = r#"{"name":"Kyoto","people":1400000}"#;
const WRONG: &str = r#"{"name":"Kyoto","people":"many"}"#;

fn kyoto() -> City {
    City { name: "Kyoto".into(), people: 1_400_000 }
}

/// An answer of the model that calls a tool. The arguments are sent as they are written.
fn call(name: &str, arguments: &str) -> Value {
    json!({ "steps": [{ "call": { "name": name, "arguments": arguments } }], "piece": 3 })
}

fn text(text: &str) -> Value {
    json!({ "steps": [{ "text": text }], "piece": 3 })
}

fn scene(way: Way, turns: &[Value]) -> Scene {
    Scene::new(&json!({ "turns": turns }).to_string(), way).without_completion()
}

const UNENFORCED: Capabilities = Capabilities {
    structured_output: Support::No,
    native_tools: Support::Yes,
    forced_tool_choice: Support::Unknown,
    parallel_calls: Support::Unknown,
    images: Support::Unknown,
    documents: Support::Unknown,
    audio: Support::Unknown,
    json_output: Support::No,
};

/// An agent with the tools of the scene.
fn builder(scene: &Scene) -> AgentBuilder {
    scene.builder().capabilities(UNENFORCED)
}

/// An agent without tools.
fn plain(scene: &Scene) -> AgentBuilder {
    Agent::builder().model(scene.model.clone(), "scripted-1").capabilities(UNENFORCED)
}

fn native_ways() -> impl Iterator<Item = Way> {
    ways().into_iter().filter(|way| way.protocol == ToolProtocol::Native)
}

/// Returns the tool choice of a request in any format.
fn choice(request: &Value) -> Value {
    match request.get("tool_choice").or_else(|| request.pointer("/toolConfig/functionCallingConfig")) {
        Some(choice) => choice.clone(),
        None => Value::Null,
    }
}

#[tokio::test]
async fn an_answer_is_a_demanded_call_in_every_wire_format() {
    let demands = [
        ("openai-chat", json!("required"), json!({"type": "function", "function": {"name": "answer"}})),
        ("openai-responses", json!("required"), json!({"type": "function", "name": "answer"})),
        ("anthropic", json!({"type": "any"}), json!({"type": "tool", "name": "answer"})),
        ("gemini", json!({"mode": "ANY"}), json!({"mode": "ANY", "allowedFunctionNames": ["answer"]})),
    ];
    for (way, (format, among_tools, alone)) in native_ways().zip(demands) {
        assert_eq!(way.wire.name(), format);
        let turns = [call("look", "{}"), call("answer", WRONG), call("answer", KYOTO)];
        let scene = scene(way, &turns);
        let report = builder(&scene).build().unwrap().run_as::<City>("Which?").await.unwrap();
        assert_eq!(report.answer, kyoto(), "{format}");
        assert_eq!(report.report.text(), Some(KYOTO), "{format}: the text of the run is the answer");
        let requests = scene.model.requests();
        assert_eq!(requests.len(), 3, "{format}");
        for request in &requests {
            assert_eq!(choice(request), among_tools, "{format}: a call does not end the demand");
            assert!(!request.to_string().contains("Answer with one JSON object"), "{format}");
        }
        let last = requests[2].to_string();
        assert!(last.contains("The answer cannot be used") && last.contains("people"), "{format}: {last}");
        assert_eq!(last.matches("Which?").count(), 1, "{format}: the correction is a result, not a task");

        let scene = super::typed_calls::scene(scene.way.clone(), &[call("answer", KYOTO)]);
        let report = plain(&scene).build().unwrap().run_as::<City>("Which?").await.unwrap();
        assert_eq!(report.answer, kyoto(), "{format}");
        assert_eq!(choice(&scene.model.requests()[0]), alone, "{format}");
    }
}

#[tokio::test]
async fn the_arguments_of_the_call_are_the_partial_answer() {
    for way in native_ways() {
        let (format, streams) = (way.wire.name(), way.streams_arguments());
        let scene = scene(way, &[call("answer", WRONG), call("answer", KYOTO)]);
        let mut stream = plain(&scene).build().unwrap().stream_as::<City>("Which?");
        let (mut names, mut order, mut answer) = (Vec::new(), Vec::new(), None);
        while let Some(event) = stream.next().await {
            let kind = match event.unwrap() {
                TypedEvent::Partial => {
                    names.extend(stream.partial().growing().map(|city| city.name.as_str().to_owned()));
                    "partial"
                }
                TypedEvent::Discarded => {
                    names.clear();
                    "discarded"
                }
                TypedEvent::Correction { number, problem, text } => {
                    assert_eq!((number, text.as_str()), (1, WRONG), "{format}");
                    assert!(problem.contains("people"), "{format}: {problem}");
                    "correction"
                }
                TypedEvent::Answer(report) => {
                    answer = Some(report.answer);
                    "answer"
                }
                _ => continue,
            };
            if order.last() != Some(&kind) {
                order.push(kind);
            }
        }
        assert_eq!(answer, Some(kyoto()), "{format}");
        assert_eq!(stream.partial().complete(), Some(&kyoto()), "{format}");
        assert_eq!(order, ["partial", "correction", "discarded", "partial", "answer"], "{format}");
        if streams {
            assert!(names.iter().any(|name| !name.is_empty() && name != "Kyoto"), "{format}: {names:?}");
        }
    }
}

#[tokio::test]
async fn a_call_that_never_fits_ends_after_the_corrections() {
    // Five corrections exceed the limits of mistakes and of equal calls.
    for corrections in [0, 2, 5] {
        let turns: Vec<_> = (0..=corrections).map(|_| call("answer", WRONG)).collect();
        let scene = scene(way(), &turns);
        let agent = plain(&scene).answer_corrections(corrections).build().unwrap();
        let error = agent.run_as::<City>("Which?").await.unwrap_err();
        assert!(matches!(&error, AgentError::Answer { text, .. } if text == WRONG), "{error}");
        assert_eq!(scene.model.requests().len(), turns.len());
    }
    let turns = [call("answer", "{\"name\": "), call("answer", WRONG), call("answer", WRONG)];
    let scene = scene(way(), &turns);
    let error = plain(&scene).build().unwrap().run_as::<City>("Which?").await.unwrap_err();
    assert!(matches!(error, AgentError::Answer { .. }), "arguments that are not JSON count: {error}");
    assert_eq!(scene.model.requests().len(), 3);
}

#[tokio::test]
async fn a_text_is_an_answer_too_and_shares_the_corrections() {
    let scene = scene(way(), &[text(KYOTO)]);
    let report = plain(&scene).build().unwrap().run_as::<City>("Which?").await.unwrap();
    assert_eq!(report.answer, kyoto());
    let turns = [text("Kyoto."), call("answer", WRONG), text("Kyoto!"), call("answer", KYOTO)];
    let scene = super::typed_calls::scene(way(), &turns);
    let mut session = plain(&scene).build().unwrap().session();
    let error = session.send_as::<City>("Which?").await.unwrap_err();
    assert!(matches!(&error, AgentError::Answer { text, .. } if text == "Kyoto!"), "{error}");
    let requests = scene.model.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[1].to_string().contains("Give the answer by a call of the tool `answer`"));
    assert_eq!(session.send_as::<City>("Which?").await.unwrap().answer, kyoto());
}

#[tokio::test]
async fn without_forced_tool_choice_the_prompt_requests_the_answer() {
    let forced_tool_choice = Support::No;
    let scene = scene(way(), &[call("answer", KYOTO)]);
    let agent = plain(&scene).capabilities(Capabilities { forced_tool_choice, ..UNENFORCED });
    assert_eq!(agent.build().unwrap().run_as::<City>("Which?").await.unwrap().answer, kyoto());
    let request = &scene.model.requests()[0];
    assert_eq!(choice(request), Value::Null);
    assert!(request.to_string().contains("Give the answer by a call of the tool `answer`"), "{request}");
    // A choice of the program stays, and `None` leaves only text.
    for (choice, first, is_text) in
        [(ToolChoice::None, text(KYOTO), true), (ToolChoice::Required, call("answer", KYOTO), false)]
    {
        let scene = super::typed_calls::scene(way(), &[first]);
        let options = RequestOptions::default().with_tool_choice(choice);
        let agent = builder(&scene).request_options(options).build().unwrap();
        assert_eq!(agent.run_as::<City>("Which?").await.unwrap().answer, kyoto());
        let request = scene.model.requests()[0].to_string();
        assert_eq!(request.contains("Answer with one JSON object"), is_text, "{request}");
    }
}

#[tokio::test]
async fn the_tool_belongs_to_its_task_and_yields_to_a_tool_of_that_name() {
    let scene = scene(way(), &[call("answer", KYOTO), text("Hello.")]);
    let mut session = builder(&scene).build().unwrap().session();
    session.send_as::<City>("Which?").await.unwrap();
    assert_eq!(session.send("Hi.").await.unwrap().text(), Some("Hello."));
    let requests = scene.model.requests();
    assert!(requests[0]["tools"].to_string().contains("\"answer\""));
    assert!(!requests[1]["tools"].to_string().contains("\"answer\""));
    assert_eq!(session.tasks(), 2);

    let scene = super::typed_calls::scene(way(), &[call("answer", "{}"), call("answer_2", KYOTO)]);
    let own = Counting::new("answer", Hints::read_only(), Effect::Internal);
    let calls = own.calls.clone();
    let agent = plain(&scene).tool(own).build().unwrap();
    assert_eq!(agent.run_as::<City>("Which?").await.unwrap().answer, kyoto());
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}
