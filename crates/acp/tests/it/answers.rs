//! Rejections for a session, forms for questions in words, and MCP servers of the client.

use serde_json::{Value, json};

use crate::place::{Client, Place, text_of};

const REPEATS: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "two\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Denied."}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Denied again."}}}]}]}"#;

const ASKS: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "ask_followup_question", "arguments": {"question": "Which file?"}}}]},
    {"steps": [{"call": {"name": "ask_followup_question",
        "arguments": {"question": "Which size?", "suggestions": ["small", "large"]}}}]},
    {"steps": [{"call": {"name": "ask_followup_question", "arguments": {"question": "Which name?"}}}]},
    {"steps": [{"text": "Thank you."}]}]}"#;

/// Connects a client that shows forms.
async fn connect_with_forms(place: &Place) -> Client {
    let mut client = place.connect();
    let abilities = json!({"elicitation": {"form": {}}});
    client.call("initialize", json!({"protocolVersion": 1, "clientCapabilities": abilities})).await;
    client
}

async fn form(client: &mut Client, message: &str) -> Value {
    let asked = client.until(|message| message["method"] == "elicitation/create").await;
    assert_eq!(asked["params"]["message"], message, "{asked}");
    assert_eq!(asked["params"]["mode"], "form");
    asked
}

async fn fill(client: &mut Client, asked: &Value, result: Value) {
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_for_the_session_covers_the_same_call_only() {
    let place = Place::new(REPEATS).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "write it").await;
    let asked = client.permission().await;
    let options = asked["params"]["options"].as_array().unwrap();
    assert!(
        options.iter().any(|one| one["kind"] == "reject_always" && one["optionId"] == "never"),
        "{asked}"
    );
    client.choose(&asked, "never").await;
    // The same call is denied without a question. A call with another content is asked about.
    let asked = client.permission().await;
    assert_eq!(asked["params"]["toolCall"]["rawInput"]["content"], "two\n", "{asked}");
    client.choose(&asked, "no").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    let failed = client.updates().iter().filter(|update| update["status"] == "failed").count();
    assert_eq!(failed, 3);

    // The next prompt of the session remembers the rejection.
    let id = client.prompt(&session, "once more").await;
    let response = client.response(id).await;
    assert_eq!(response["result"]["stopReason"], "end_turn", "{response}");
    assert!(client.seen.iter().all(|message| message["method"] != "session/request_permission"));
    assert_eq!(place.file("a.txt"), None);
    client.close().await;

    // Another connection does not remember the rejection.
    let mut other = place.connect();
    let setup = json!({"sessionId": session, "cwd": place.project, "mcpServers": []});
    other.call("session/load", setup).await;
    let events = place.host.read(&session, None).await.unwrap();
    let comments = events.iter().map(|event| serde_json::to_value(event).unwrap());
    let comments =
        comments.filter(|event| event["kind"] == "question_closed" && event["comment"].is_string());
    assert_eq!(comments.count(), 2, "the record says that an earlier rejection answered");
    other.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_sent_as_forms_to_a_client_that_supports_forms() {
    let place = Place::new(ASKS).await;
    let mut client = connect_with_forms(&place).await;
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "change it").await;
    let asked = form(&mut client, "Which file?").await;
    assert_eq!(asked["params"]["requestedSchema"]["required"], json!(["answer"]));
    fill(&mut client, &asked, json!({"action": "accept", "content": {"answer": "b.txt"}})).await;
    let asked = form(&mut client, "Which size?").await;
    assert_eq!(asked["params"]["requestedSchema"]["properties"]["choice"]["enum"], json!(["small", "large"]));
    fill(&mut client, &asked, json!({"action": "accept", "content": {"choice": "large"}})).await;
    let asked = form(&mut client, "Which name?").await;
    fill(&mut client, &asked, json!({"action": "decline"})).await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    let updates = Value::Array(client.updates()).to_string();
    for answer in ["b.txt", "large", "declined to answer", "Thank you."] {
        assert!(updates.contains(answer), "no {answer} in {updates}");
    }
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_form_leaves_the_question_to_the_next_prompt() {
    let place = Place::new(ASKS).await;
    let mut client = connect_with_forms(&place).await;
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "change it").await;
    let asked = form(&mut client, "Which file?").await;
    fill(&mut client, &asked, json!({"action": "cancel"})).await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(text_of(&client.updates(), "agent_message_chunk"), "Which file?");
    let id = client.prompt(&session, "c.txt").await;
    let asked = form(&mut client, "Which size?").await;
    fill(&mut client, &asked, json!({"action": "decline"})).await;
    let asked = form(&mut client, "Which name?").await;
    fill(&mut client, &asked, json!({"action": "decline"})).await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert!(Value::Array(client.updates()).to_string().contains("c.txt"));
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_client_that_does_not_start_leaves_the_session_usable() {
    let place = Place::new(r#"{"turns": [{"steps": [{"text": "I work."}]}]}"#).await;
    let mut client = place.connect();
    let servers = json!([{"name": "broken", "command": "/nonexistent/server", "args": [], "env": []}]);
    let opened = client.call("session/new", json!({"cwd": place.project, "mcpServers": servers})).await;
    let session = opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
    let id = client.prompt(&session, "work").await;
    let response = client.response(id).await;
    assert_eq!(response["result"]["stopReason"], "end_turn", "{response}");
    assert_eq!(text_of(&client.updates(), "agent_message_chunk"), "I work.");
    let old = json!([{"type": "sse", "name": "old", "url": "https://old.example", "headers": []}]);
    let refused = client.call("session/new", json!({"cwd": place.project, "mcpServers": old})).await;
    assert_eq!(refused["error"]["code"], -32_602, "{refused}");
    client.close().await;
    place.shutdown().await;
}
