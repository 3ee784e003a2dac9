//! Sessions over the API: start, watch, answer, continue, reload.

use serde_json::{Value, json};

use crate::place::Place;

const WRITES: &str = r#"{"turns": [
    {"steps": [{"text": "I write."}, {"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}}], "piece": 5},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Written."}}}]},
    {"steps": [{"text": "It has one line."}]}]}"#;

/// Returns the numbered events, which a later reader gets, too.
fn keep_numbered(events: &[Value]) -> Vec<Value> {
    let mut last = 0;
    let mut kept = Vec::new();
    for event in events {
        let seq = event["seq"].as_u64().unwrap();
        if seq == last + 1 {
            last = seq;
            kept.push(event.clone());
        }
    }
    kept
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_started_watched_answered_and_continued() {
    let place = Place::new(WRITES).await;
    let session = place.start("write a.txt").await;
    let first = place.feed_until(&session, 0, "question_opened").await;
    let asked = first.last().unwrap();
    assert_eq!((&asked["card"]["tool"], &asked["about"]), (&json!("write_file"), &json!("call")), "{asked}");
    let question = asked["question"].as_str().unwrap();

    let inbox = place.call("GET", "/api/questions", "").await.json();
    assert_eq!((&inbox[0]["question"], &inbox[0]["session"]), (&json!(question), &json!(session)));

    let answer = |kind: &str| json!({"answer": kind, "question": question}).to_string();
    let path = format!("/api/sessions/{session}/answer");
    let words = json!({"answer": "words", "question": question, "text": "x"}).to_string();
    let wrong = place.call("POST", &path, &words).await;
    assert_eq!((wrong.status, &wrong.json()["code"]), (400, &json!("wrong_kind")));
    assert_eq!(place.call("POST", &path, &answer("once")).await.status, 200);
    let late = place.call("POST", &path, &answer("no")).await;
    assert_eq!((late.status, &late.json()["code"]), (409, &json!("already_answered")), "{late:?}");
    assert_eq!(late.json()["by"], "page on laptop");

    let all = place.feed_until(&session, 0, "run_ended").await;
    assert_eq!(all.last().unwrap()["outcome"], json!({"state": "completed", "text": "Written."}));
    assert_eq!(std::fs::read_to_string(place.folder.path().join("project/a.txt")).unwrap(), "one\n");
    let closed = all.iter().find(|event| event["kind"] == "question_closed").unwrap();
    assert_eq!(closed["by"], "page on laptop");

    // The next task sees the conversation.
    let path = format!("/api/sessions/{session}/continue");
    let next = place.call("POST", &path, r#"{"task": "how long is it?"}"#).await;
    assert_eq!(next.status, 201, "{next:?}");
    let last = all.last().unwrap()["seq"].as_u64().unwrap();
    let more = place.feed_until(&session, last, "run_ended").await;
    assert_eq!(more.last().unwrap()["outcome"]["text"], "It has one line.");
    let listed = place.call("GET", "/api/sessions", "").await.json();
    assert_eq!(listed[0]["runs"].as_array().unwrap().len(), 2, "{listed}");
    let text = place.call("GET", &format!("/api/sessions/{session}/export"), "").await.body;
    assert!(text.contains("write a.txt") && text.contains("It has one line."), "{text}");
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_reconnects_at_any_number_gets_the_rest_once() {
    let place = Place::new(WRITES).await;
    let session = place.start("write a.txt").await;
    let asked = place.feed_until(&session, 0, "question_opened").await;
    let body = json!({"answer": "once", "question": asked.last().unwrap()["question"]}).to_string();
    assert_eq!(place.call("POST", &format!("/api/sessions/{session}/answer"), &body).await.status, 200);
    place.feed_until(&session, 0, "run_ended").await;
    let whole = keep_numbered(&place.feed_until(&session, 0, "run_ended").await);
    assert_eq!(whole.len() as u64, whole.last().unwrap()["seq"].as_u64().unwrap(), "numbers have no gaps");
    for after in 0..whole.len() - 1 {
        let rest = place.feed_until(&session, after as u64, "run_ended").await;
        assert_eq!(rest, whole[after..], "after {after}");
    }
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_stopped_renamed_and_deleted() {
    let script =
        r#"{"turns": [{"steps": [{"text": "long"}], "hostile": {"switch": "stall", "after_bytes": 60}}]}"#;
    let place = Place::new(script).await;
    let session = place.start("wait").await;
    let path = format!("/api/sessions/{session}");
    let refused = place.call("DELETE", &path, "").await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(place.call("POST", &format!("{path}/stop"), "").await.status, 202);
    let end = place.feed_until(&session, 0, "run_ended").await;
    assert_eq!(end.last().unwrap()["outcome"], json!({"state": "stopped", "cause": "cancelled"}));
    let renamed = place.call("PATCH", &path, r#"{"name": "  a pause "}"#).await;
    assert_eq!(renamed.json()["name"], "a pause");
    // The task of the run ends in this moment.
    let mut tries = 0;
    while place.host.handle(&session).is_some() && tries < 200 {
        tries += 1;
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(place.call("DELETE", &path, "").await.status, 204);
    assert_eq!(place.call("GET", &path, "").await.status, 404);
    let metrics = place.call("GET", "/metrics", "").await.body;
    assert!(metrics.contains("windlass_runs_started_total 1\n"), "{metrics}");
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_a_status_and_a_message() {
    let place = Place::new(WRITES).await;
    for (method, path, body, status) in [
        ("POST", "/api/sessions", r#"{"task": " "}"#, 400),
        ("POST", "/api/sessions", r#"{"tusk": "x"}"#, 422),
        ("POST", "/api/sessions", "{", 400),
        ("GET", "/api/sessions/none", "", 404),
        ("POST", "/api/sessions/none/continue", r#"{"task": "x"}"#, 404),
        ("GET", "/api/sessions/none/feed", "", 404),
        ("GET", "/api/sessions/none/feed?after=x", "", 400),
        ("DELETE", "/api/devices/none", "", 404),
    ] {
        let answer = place.call(method, path, body).await;
        assert_eq!(answer.status, status, "{method} {path} {body}: {answer:?}");
        assert!(answer.json()["message"].as_str().is_some_and(|text| !text.is_empty()), "{answer:?}");
    }
    for (method, path, body, status, words) in [
        ("GET", "/nothing", "", 404, "the path /nothing does not exist"),
        ("GET", "/api/nothing", "", 404, "the path /api/nothing does not exist"),
        ("PUT", "/api/sessions", "{}", 405, "the path /api/sessions does not take PUT"),
        ("POST", "/api/sessions", "{", 400, "the body is not JSON: EOF while parsing"),
        (
            "POST",
            "/api/sessions",
            r#"{"tusk": "x"}"#,
            422,
            "the body does not have the form of this request: ",
        ),
        ("GET", "/api/sessions?limit=x", "", 400, "the parameters of the address are not valid: "),
    ] {
        let answer = place.call(method, path, body).await;
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert_eq!(answer.status, status, "{method} {path} {body}: {answer:?}");
        assert!(message.starts_with(words) && !message.contains("Failed to deserialize"), "{message}");
    }
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_run_is_not_resumed() {
    let place = Place::new(r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#).await;
    let session = place.start("greet").await;
    place.feed_until(&session, 0, "run_ended").await;
    place.wait_for_end(&session).await;
    let refused = place.call("POST", &format!("/api/sessions/{session}/resume"), "").await;
    assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("conflict")), "{refused:?}");
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_settings_of_new_sessions_are_shown() {
    let place = Place::with_template(WRITES, |template| {
        template.autonomy = windlass_app::Autonomy::AutoEdit;
    })
    .await;
    let defaults = place.call("GET", "/api/defaults", "").await.json();
    assert_eq!((&defaults["model"], &defaults["autonomy"]), (&json!("scripted-1"), &json!("auto-edit")));
    let session = place.start("write a.txt").await;
    let shown = place.call("GET", &format!("/api/sessions/{session}"), "").await.json();
    assert_eq!((&shown["model"], &shown["autonomy"]), (&defaults["model"], &defaults["autonomy"]));
    place.shutdown().await;
}

/// A picture of one pixel in base64.
const TINY_PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_task_are_limited_by_upload_bytes() {
    let mut options = windlass_server::ServerOptions::default();
    (options.body_bytes, options.upload_bytes) = (2_000, 20_000);
    let place = Place::with_options(WRITES, options).await;
    let files =
        json!([{"name": "dot.png", "data": TINY_PNG}, {"name": "big.txt", "data": "QUJD".repeat(1_000)}]);
    let body = json!({"task": "look", "files": files}).to_string();
    assert!(body.len() > 2_000);
    let started = place.call("POST", "/api/sessions", &body).await;
    assert_eq!(started.status, 201, "{started:?}");
    let session = started.json()["session"].as_str().unwrap().to_owned();
    let events = place.feed_until(&session, 0, "question_opened").await;
    let first = events.iter().find(|event| event["kind"] == "run_started").unwrap();
    assert_eq!((&first["task"], &first["files"]), (&json!("look"), &json!(["image/png", "big.txt"])));

    for (file, status) in [
        (json!({"name": "a.txt", "data": "not base64!"}), 400),
        (json!({"name": "empty.txt", "data": ""}), 400),
        (json!({"name": "a.txt", "data": "QUJD".repeat(6_000)}), 413),
    ] {
        let body = json!({"task": "look", "files": [file]}).to_string();
        let refused = place.call("POST", "/api/sessions", &body).await;
        assert_eq!(refused.status, status, "{refused:?}");
    }
    // Other routes keep the limit of small bodies.
    let name = "x".repeat(3_000);
    let path = format!("/api/sessions/{session}");
    assert_eq!(place.call("PATCH", &path, &json!({"name": name}).to_string()).await.status, 413);
    place.shutdown().await;
}
