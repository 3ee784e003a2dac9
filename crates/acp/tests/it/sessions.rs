//! Whole sessions of a client.

use std::time::Duration;

use serde_json::{Value, json};
use windlass_app::Confinement;
use windlass_app::feed::{FeedEvent, FeedKind};
use windlass_app::sessions::Answer;

use crate::place::{Place, text_of};

const WRITES: &str = r#"{"turns": [
    {"steps": [{"reasoning": "A file."}, {"text": "I write."},
        {"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}}], "piece": 5},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Written."}}}]},
    {"steps": [{"text": "It has one line."}, {"call": {"name": "attempt_completion", "arguments": {"result": "Done."}}}]}]}"#;

const STALLS: &str =
    r#"{"turns": [{"steps": [{"text": "long"}], "hostile": {"switch": "stall", "after_bytes": 60}}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_asks_for_a_permission_writes_and_continues() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let about = client.call("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}})).await;
    assert_eq!(about["result"]["protocolVersion"], 1);
    assert_eq!(about["result"]["agentCapabilities"]["loadSession"], true);
    assert_eq!(client.call("authenticate", json!({"methodId": "provider-key"})).await["result"], json!({}));
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "write a.txt").await;

    let asked = client.permission().await;
    let kinds: Vec<&str> = asked["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|option| option["kind"].as_str())
        .collect();
    assert_eq!(kinds.first(), Some(&"allow_once"), "{asked}");
    assert_eq!(kinds.last(), Some(&"reject_always"), "{asked}");
    let call = &asked["params"]["toolCall"];
    let diff =
        json!({"type": "diff", "path": place.project.join("a.txt"), "oldText": null, "newText": "one\n"});
    assert_eq!(call["content"][0], diff, "{asked}");
    assert_eq!(call["kind"], "edit");
    assert_eq!(place.file("a.txt"), None);
    client.choose(&asked, "once").await;
    let response = client.response(id).await;
    assert_eq!(response["result"]["stopReason"], "end_turn", "{response}");
    assert!(
        response["result"]["usage"]["totalTokens"].as_u64().is_some_and(|tokens| tokens > 0),
        "{response}"
    );
    assert_eq!(place.file("a.txt").as_deref(), Some("one\n"));

    let updates = client.updates();
    assert_eq!(text_of(&updates, "agent_message_chunk"), "I write.Written.");
    assert_eq!(text_of(&updates, "agent_thought_chunk"), "A file.");
    let of_call: Vec<&Value> =
        updates.iter().filter(|update| update["toolCallId"] == call["toolCallId"]).collect();
    assert_eq!(of_call[0]["sessionUpdate"], "tool_call");
    let statuses: Vec<&str> = of_call.iter().filter_map(|update| update["status"].as_str()).collect();
    assert_eq!(statuses.first(), Some(&"pending"));
    assert_eq!(statuses.last(), Some(&"completed"));
    assert!(of_call.iter().any(|update| update["rawInput"]["content"] == "one\n"), "{of_call:?}");
    assert_eq!(of_call.last().unwrap()["content"][0], diff);

    // The next prompt sees the conversation, and the record names the window.
    let id = client.prompt(&session, "how long is it?").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(text_of(&client.updates(), "agent_message_chunk"), "It has one line.Done.");
    let events = place.host.read(&session, None).await.unwrap();
    let closed = events.iter().map(|event| serde_json::to_value(event).unwrap());
    let closed = closed.into_iter().find(|event| event["kind"] == "question_closed").unwrap();
    assert_eq!(closed["by"], "editor");
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_call_does_not_run() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "write a.txt").await;
    let asked = client.permission().await;
    client.choose(&asked, "no").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(place.file("a.txt"), None);
    let call = asked["params"]["toolCall"]["toolCallId"].clone();
    let updates = client.updates();
    assert!(
        updates.iter().any(|update| update["toolCallId"] == call && update["status"] == "failed"),
        "{updates:?}"
    );
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_another_window_cancels_the_request() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "write a.txt").await;
    let asked = client.permission().await;
    let question = place.host.questions(&session).await.unwrap().remove(0);
    place.host.answer(&session, &question.id, Answer::Once { comment: None }, "terminal").await.unwrap();
    let cancelled = client.until(|message| message["method"] == "$/cancel_request").await;
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
    // A late answer has no effect.
    client.choose(&asked, "no").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(place.file("a.txt").as_deref(), Some("one\n"));
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_cancelled_in_the_middle_and_at_once() {
    let place = Place::new(STALLS).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "wait").await;
    let busy = client.prompt(&session, "again").await;
    assert_eq!(client.response(busy).await["error"]["code"], -32_600);
    while place.host.handle(&session).is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    client.notify("session/cancel", json!({"sessionId": session})).await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "cancelled");
    // A cancellation directly after the prompt is not lost.
    let other = client.open(&place.project).await;
    let id = client.prompt(&other, "wait").await;
    client.notify("$/cancel_request", json!({"requestId": id})).await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "cancelled");
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_session_is_listed_loaded_and_deleted() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "write a.txt").await;
    let asked = client.permission().await;
    client.choose(&asked, "once").await;
    client.response(id).await;
    client.close().await;

    let mut client = place.connect();
    let listed = client.call("session/list", json!({"cwd": place.project})).await;
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], session, "{listed}");
    assert_eq!(listed["result"]["sessions"][0]["title"], "write a.txt");
    assert_eq!(
        client.call("session/list", json!({"cwd": "/other"})).await["result"],
        json!({"sessions": []})
    );
    let setup = json!({"sessionId": session, "cwd": place.project, "mcpServers": []});
    let loaded = client.call("session/load", setup).await;
    assert_eq!(loaded["result"]["modes"]["currentModeId"], "ask", "{loaded}");
    let updates = client.updates();
    assert_eq!(text_of(&updates, "user_message_chunk"), "write a.txt");
    assert_eq!(text_of(&updates, "agent_message_chunk"), "I write.Written.");
    assert!(updates.iter().any(|update| update["status"] == "completed"), "{updates:?}");
    let id = client.prompt(&session, "how long is it?").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(text_of(&client.updates(), "agent_message_chunk"), "It has one line.Done.");

    for wrong in
        [json!({"sessionId": "last", "cwd": place.project}), json!({"sessionId": "", "cwd": place.project})]
    {
        assert!(client.call("session/load", wrong).await["error"]["code"].is_i64());
    }
    let elsewhere = json!({"sessionId": session, "cwd": place.project.parent().unwrap()});
    assert_eq!(client.call("session/load", elsewhere).await["error"]["code"], -32_602);
    for _ in 0..2 {
        assert_eq!(client.call("session/delete", json!({"sessionId": session})).await["result"], json!({}));
    }
    assert_eq!(client.call("session/list", json!({})).await["result"], json!({"sessions": []}));
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_changes_the_next_run() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let set = |mode: &str| json!({"sessionId": session, "modeId": mode});
    assert_eq!(client.call("session/set_mode", set("none")).await["error"]["code"], -32_602);
    assert_eq!(client.call("session/set_mode", set("auto-edit")).await["result"], json!({}));
    let id = client.prompt(&session, "write a.txt").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert!(client.seen.iter().all(|message| message["method"] != "session/request_permission"));
    assert_eq!(place.file("a.txt").as_deref(), Some("one\n"));
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_prompt_answers_a_question_of_the_model() {
    let place = Place::new(
        r#"{"turns": [
            {"steps": [{"call": {"name": "ask_followup_question", "arguments": {"question": "Which file?"}}}]},
            {"steps": [{"text": "I take it."}, {"call": {"name": "attempt_completion", "arguments": {"result": "Done."}}}]}]}"#,
    )
    .await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "change it").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(text_of(&client.updates(), "agent_message_chunk"), "Which file?");
    let id = client.prompt(&session, "b.txt").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    let updates = client.updates();
    assert_eq!(text_of(&updates, "agent_message_chunk"), "I take it.Done.");
    assert!(Value::Array(updates).to_string().contains("b.txt"));
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_options_of_a_session_are_those_of_its_next_run() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let new = client.call("session/new", json!({"cwd": place.project, "mcpServers": []})).await;
    let options = new["result"]["configOptions"].as_array().unwrap().clone();
    let values = |options: &[Value]| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        options.iter().map(|option| (text(&option["category"]), text(&option["currentValue"]))).collect()
    };
    let pairs = |mode: &str, model: &str, effort: &str| {
        [("mode", mode), ("model", model), ("thought_level", effort)]
            .map(|(category, value)| (category.to_owned(), value.to_owned()))
    };
    let model = options[1]["currentValue"].as_str().unwrap().to_owned();
    assert_eq!(values(&options), pairs("ask", &model, "default"));
    for option in &options {
        let offered = option["options"].as_array().unwrap();
        assert!(offered.iter().any(|offered| offered["value"] == option["currentValue"]), "{option}");
    }
    let session = new["result"]["sessionId"].as_str().unwrap().to_owned();
    let option = |id: &str, value: &str| json!({"sessionId": session, "configId": id, "value": value});
    for wrong in [option("thought_level", "much"), option("model", "unknown"), option("color", "red")] {
        assert_eq!(client.call("session/set_config_option", wrong).await["error"]["code"], -32_602);
    }
    let set = client.call("session/set_config_option", option("mode", "auto-edit")).await;
    assert_eq!(
        values(set["result"]["configOptions"].as_array().unwrap()),
        pairs("auto-edit", &model, "default")
    );
    let set = client.call("session/set_config_option", option("thought_level", "high")).await;
    assert_eq!(
        values(set["result"]["configOptions"].as_array().unwrap()),
        pairs("auto-edit", &model, "high")
    );
    let id = client.prompt(&session, "write a.txt").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(place.file("a.txt").as_deref(), Some("one\n"), "the mode allows it without a question");
    let settings = || {
        let record = place.host.sessions().find(&session).unwrap();
        place.host.sessions().newest_folder(&record).unwrap().settings().unwrap()
    };
    assert_eq!(settings().request.reasoning, Some(windlass_protocol::Effort::High));

    // A continued session has the new value, and a client that loads it sees the values.
    client.call("session/set_config_option", option("thought_level", "low")).await;
    let id = client.prompt(&session, "how long is it?").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(settings().request.reasoning, Some(windlass_protocol::Effort::Low));
    let mut other = place.connect();
    let load = json!({"sessionId": session, "cwd": place.project, "mcpServers": []});
    let loaded = other.call("session/load", load).await;
    let options = loaded["result"]["configOptions"].as_array().unwrap();
    assert_eq!(values(options), pairs("auto-edit", &model, "low"));
    let set = json!({"sessionId": session, "modeId": "ask"});
    other.call("session/set_mode", set).await;
    let updates = other.updates();
    let update =
        updates.iter().rev().find(|update| update["sessionUpdate"] == "config_option_update").unwrap();
    assert_eq!(values(update["configOptions"].as_array().unwrap()), pairs("ask", &model, "low"));
    client.close().await;
    other.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_to_a_working_run_has_a_picture_and_a_call_is_stopped() {
    const SLEEPS: &str = r#"{"turns": [
        {"steps": [{"call": {"name": "run_command", "id": "c1", "arguments": {"command": "sleep 60"}}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Went on."}}}]}]}"#;
    const TINY_PNG: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
    let place = Place::with_template(SLEEPS, |template| template.sandbox = Confinement::Off).await;
    let mut client = place.connect();
    let about = client.call("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}})).await;
    let methods = &about["result"]["agentCapabilities"]["_meta"]["windlass"]["methods"];
    assert_eq!(*methods, json!(["_windlass/stop_call"]));
    let session = client.open(&place.project).await;
    let id = client.prompt(&session, "sleep").await;
    let asked = client.permission().await;
    client.choose(&asked, "once").await;
    // A client that connected later has the session, too. Its prompt goes to the working run.
    let mut other = place.connect();
    let loaded = other
        .call("session/resume", json!({"sessionId": session, "cwd": place.project, "mcpServers": []}))
        .await;
    assert!(loaded["error"].is_null(), "{loaded}");
    let prompt = json!([{"type": "text", "text": "like this"}, {"type": "image", "data": TINY_PNG, "mimeType": "image/png"}]);
    let sent = other.begin("session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
    let stop = json!({"sessionId": session, "toolCallId": "c1"});
    let is_queued = |event: &FeedEvent| matches!(event.kind, FeedKind::MessageQueued { .. });
    while !place.host.read(&session, None).await.unwrap().iter().any(is_queued) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    while client.call("_windlass/stop_call", stop.clone()).await["result"] != json!({"stopped": true}) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(other.response(sent).await["result"]["stopReason"], "end_turn");
    let events = place.host.read(&session, None).await.unwrap();
    let files = events.iter().find_map(|event| match &event.kind {
        FeedKind::Message { text, files, .. } if text == "like this" => Some(files.clone()),
        _ => None,
    });
    assert_eq!(files, Some(vec!["image/png".to_owned()]), "{events:#?}");
    // The conversation is compacted by a command.
    let id = client.prompt(&session, "/compact").await;
    let end = client.response(id).await;
    assert_eq!(end["result"]["stopReason"], "end_turn", "{end}");
    assert!(text_of(&client.updates(), "agent_message_chunk").contains("tokens"));
    assert_eq!(place.host.sessions().find(&session).unwrap().runs.len(), 2);
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_without_a_prompt_is_resumed_and_deleted() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let setup = json!({"sessionId": session, "cwd": place.project, "mcpServers": []});
    client.call("session/set_mode", json!({"sessionId": session, "modeId": "auto-edit"})).await;
    for method in ["session/resume", "session/load"] {
        let resumed = client.call(method, setup.clone()).await;
        assert_eq!(resumed["result"]["modes"]["currentModeId"], "auto-edit", "{resumed}");
    }
    let id = client.prompt(&session, "write a.txt").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    let unused = client.open(&place.project).await;
    assert_eq!(client.call("session/delete", json!({"sessionId": unused})).await["result"], json!({}));
    assert!(
        client.call("session/resume", json!({"sessionId": unused, "cwd": place.project})).await["error"]
            .is_object()
    );
    client.close().await;
    place.shutdown().await;
}
