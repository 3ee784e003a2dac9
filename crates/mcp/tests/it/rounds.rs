//! Results that require input (2026-07-28): the answers, their limits, and servers that never end.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass_mcp::{ClientOptions, McpClient, McpLimits, Sample, SampleFuture, Sampler, SamplingRequest};
use windlass_protocol::ResultStatus;
use windlass_tool::{AnswerFuture, Human, Output, Question};

use crate::calls::{call, text};
use crate::discovery::{identity, stateless};
use crate::fake::{FakeServer, answer};

/// A human who answers everything with the same word.
struct Says(&'static str, Mutex<Vec<Question>>);

impl Human for Says {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        self.1.lock().unwrap().push(question.clone());
        Box::pin(async { Ok(self.0.to_owned()) })
    }
}

struct Model;

impl Sampler for Model {
    fn sample<'a>(&'a self, request: &'a SamplingRequest) -> SampleFuture<'a> {
        Box::pin(async { Ok(Sample::new(format!("{} from me", request.messages[0].1), "m-1")) })
    }
}

/// A server whose calls get these results, the last one again and again.
fn results(results: Vec<Value>) -> Arc<FakeServer> {
    let mut count = 0;
    FakeServer::stateless(move |message| match message["method"].as_str() {
        Some("tools/call") => {
            let result = results.get(count).or(results.last()).unwrap();
            count += 1;
            vec![answer(message, result)]
        }
        _ => stateless(message),
    })
}

async fn client(server: &Arc<FakeServer>) -> (McpClient, Arc<Says>) {
    let human = Arc::new(Says("blue", Mutex::default()));
    let options = ClientOptions::default()
        .with_human(human.clone())
        .with_sampler(Arc::new(Model))
        .with_root("file:///work");
    (server.client_of("fake", McpLimits::default(), options).await.unwrap(), human)
}

async fn called(server: &Arc<FakeServer>) -> Output {
    call(&client(server).await.0).await.unwrap()
}

fn wanted(questions: &Value, state: &Value) -> Value {
    json!({"resultType": "input_required", "inputRequests": questions, "requestState": state})
}

fn form() -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": "which?",
        "requestedSchema": {"type": "object", "properties": {"colour": {"type": "string"}}}}})
}

fn done() -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": "painted"}]})
}

#[tokio::test]
async fn each_kind_of_question_is_answered_and_the_call_is_repeated_with_the_state() {
    let questions = json!({
        "a": form(),
        "b": {"method": "sampling/createMessage",
            "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 9}},
        "c": {"method": "roots/list"},
    });
    let server = results(vec![wanted(&questions, &json!("s-1")), wanted(&json!({}), &json!("s-2")), done()]);
    let (client, human) = client(&server).await;
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::Ok, "{}", text(&output));
    assert!(text(&output).contains("painted"));
    let sent = server.heard_of("tools/call");
    assert_eq!(sent.len(), 3);
    assert!(
        sent[0]["params"].get("inputResponses").is_none() && sent[0]["params"].get("requestState").is_none()
    );
    let answers = &sent[1]["params"]["inputResponses"];
    assert_eq!(answers["a"], json!({"action": "accept", "content": {"colour": "blue"}}));
    assert_eq!(answers["b"]["content"]["text"], "hi from me");
    assert_eq!(answers["c"], json!({"roots": [{"uri": "file:///work"}]}));
    assert_eq!(sent[1]["params"]["requestState"], "s-1");
    assert_eq!(sent[2]["params"]["requestState"], "s-2");
    assert!(sent[2]["params"].get("inputResponses").is_none(), "a round without questions has no answers");
    for round in &sent {
        assert_eq!(
            (&round["params"]["name"], round["params"]["arguments"]["a"].is_number()),
            (&json!("add"), true)
        );
    }
    assert!(human.1.lock().unwrap()[0].text.starts_with("The MCP server fake asks a question."));
}

#[tokio::test]
async fn endless_rounds_end() {
    let server = results(vec![wanted(&json!({"a": form()}), &json!("again"))]);
    let output = called(&server).await;
    assert_eq!(output.status, ResultStatus::EffectsUnknown);
    assert!(text(&output).contains("8 times"), "{}", text(&output));
    assert_eq!(server.heard_of("tools/call").len(), 9);
}

#[tokio::test]
async fn results_over_the_limits_and_of_unknown_types_are_typed_faults() {
    let many: serde_json::Map<String, Value> = (0..9).map(|n| (format!("q{n}"), form())).collect();
    let mut long = form();
    long["params"]["message"] = json!("x".repeat(200 * 1024));
    for (result, part) in [
        (json!({"resultType": "task", "taskId": "1"}), r#"type \"task\""#),
        (json!({"resultType": "\u{1b}[2K".repeat(100)}), "which this client does not know"),
        (json!({"resultType": "input_required"}), "which this client does not know"),
        (wanted(&json!([]), &json!("s")), "which this client does not know"),
        (wanted(&Value::Object(many), &json!(null)), "the number of questions"),
        (wanted(&json!({"a": long}), &json!(null)), "the length of a question"),
        (wanted(&json!({}), &json!("s".repeat(300 * 1024))), "the length of its state"),
        (wanted(&json!({"a": {"method": "shell/run"}}), &json!(null)), "does not give"),
        (wanted(&json!({"a": "roots/list"}), &json!(null)), "does not give"),
        (
            wanted(
                &json!({"a": {"method": "sampling/createMessage", "params": {"messages": []}}}),
                &json!(null),
            ),
            "does not give",
        ),
    ] {
        let server = results(vec![result.clone(), done()]);
        let output = called(&server).await;
        assert_eq!(output.status, ResultStatus::EffectsUnknown, "{}", text(&output));
        assert!(
            text(&output).contains(part) && !text(&output).contains('\u{1b}'),
            "{part}: {}",
            text(&output)
        );
        assert_eq!(server.heard_of("tools/call").len(), 1, "{part}");
    }
}

#[tokio::test]
async fn requested_input_without_a_handler_is_refused() {
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        let mut question = form();
        question["method"] = json!(method);
        let server = results(vec![wanted(&json!({"a": question}), &json!(null)), done()]);
        let client = server.client().await.unwrap();
        let output = call(&client).await.unwrap();
        assert!(text(&output).contains("does not give"), "{}", text(&output));
        assert_eq!(server.heard_of("tools/call").len(), 1);
    }
}

#[tokio::test]
async fn a_server_that_changes_its_name_between_rounds_gets_no_answers() {
    let mut other = wanted(&json!({"a": form()}), &json!("s"));
    other["_meta"] = identity("fake");
    let mut second = other.clone();
    second["_meta"] = identity("somebody else");
    let server = results(vec![other, second, done()]);
    let (client, human) = client(&server).await;
    let output = call(&client).await.unwrap();
    assert!(text(&output).contains("another name"), "{}", text(&output));
    assert_eq!((server.heard_of("tools/call").len(), human.1.lock().unwrap().len()), (2, 1));
}

#[tokio::test]
async fn prompts_and_resources_have_rounds_and_lists_have_none() {
    let mut is_asked = false;
    let server = FakeServer::stateless(move |message| match message["method"].as_str() {
        Some("prompts/get" | "resources/read") if !std::mem::replace(&mut is_asked, true) => {
            vec![answer(message, &wanted(&json!({"a": form()}), &json!("s")))]
        }
        Some("prompts/get") => vec![answer(message, &json!({"resultType": "complete", "messages": []}))],
        Some("resources/read") => {
            let contents =
                json!([{"uri": "x:1", "text": message["params"]["inputResponses"]["a"]["action"]}]);
            vec![answer(message, &json!({"resultType": "complete", "contents": contents}))]
        }
        Some("prompts/list") => vec![answer(message, &wanted(&json!({"a": form()}), &json!("s")))],
        _ => stateless(message),
    });
    let (client, _) = client(&server).await;
    let read = client.read_resource("x:1").await.unwrap();
    assert_eq!(format!("{:?}", read[0].body), r#"Text("accept")"#);
    assert!(client.get_prompt("p", serde_json::Map::new()).await.unwrap().is_empty());
    let refused = client.list_prompts().await.unwrap_err().to_string();
    assert!(refused.contains("input for a request that allows none"), "{refused}");
}

// Older versions have one type of result, so the member means nothing there.
#[tokio::test]
async fn older_servers_have_complete_results_only() {
    let server = FakeServer::new(|message| match message["method"].as_str() {
        Some("tools/call") => {
            let result =
                json!({"resultType": "input_required", "content": [{"type": "text", "text": "painted"}]});
            vec![answer(message, &result)]
        }
        _ => crate::fake::polite(message, &json!([crate::fake::tool("add")])),
    });
    let output = called(&server).await;
    assert_eq!(output.status, ResultStatus::Ok, "{}", text(&output));
}
