//! Messages with files, compaction, and the numbers of many sessions, over the API.

use serde_json::json;

use crate::place::Place;

const WRITES: &str = r#"{"fallback": "One file was written.", "turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Written."}}}]}]}"#;

/// A picture of one pixel in base64.
const TINY_PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";

#[tokio::test(flavor = "multi_thread")]
async fn a_message_has_files_within_the_limit_of_uploads() {
    let mut options = windlass_server::ServerOptions::default();
    (options.body_bytes, options.upload_bytes) = (2_000, 20_000);
    let place = Place::with_options(WRITES, options).await;
    let session = place.start("write a.txt").await;
    let asked = place.feed_until(&session, 0, "question_opened").await;
    let path = format!("/api/sessions/{session}/messages");
    let files =
        json!([{"name": "dot.png", "data": TINY_PNG}, {"name": "big.txt", "data": "QUJD".repeat(1_000)}]);
    for (body, status) in [
        (json!({"text": "like this", "files": files}), 202),
        (json!({"text": "like this", "files": [{"name": "a.txt", "data": "not base64!"}]}), 400),
        (json!({"text": "like this", "files": [{"name": "a.txt", "data": "QUJD".repeat(6_000)}]}), 413),
        (json!({"text": " ", "files": files}), 400),
        (json!({"text": " "}), 400),
    ] {
        let answer = place.call("POST", &path, &body.to_string()).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    let queued = place.feed_until(&session, 0, "message_queued").await;
    assert_eq!(queued.last().unwrap()["files"], json!(["image/png", "big.txt"]));
    let answer = json!({"answer": "once", "question": asked.last().unwrap()["question"]});
    let path = format!("/api/sessions/{session}/answer");
    assert_eq!(place.call("POST", &path, &answer.to_string()).await.status, 200);
    let all = place.feed_until(&session, 0, "run_ended").await;
    let said = all.iter().find(|event| event["kind"] == "message").unwrap();
    assert_eq!((&said["text"], &said["files"]), (&json!("like this"), &json!(["image/png", "big.txt"])));
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_compacted_now() {
    let place = Place::new(WRITES).await;
    let session = place.start("write a.txt").await;
    let asked = place.feed_until(&session, 0, "question_opened").await;
    let compact = format!("/api/sessions/{session}/compact");
    let working = place.call("POST", &compact, "").await;
    assert_eq!((working.status, working.json()), (202, json!({})));
    let answer = json!({"answer": "once", "question": asked.last().unwrap()["question"]});
    let path = format!("/api/sessions/{session}/answer");
    assert_eq!(place.call("POST", &path, &answer.to_string()).await.status, 200);
    let first = place.feed_until(&session, 0, "run_ended").await;
    place.wait_for_end(&session).await;
    let idle = place.call("POST", &compact, "").await;
    assert_eq!(idle.status, 201, "{idle:?}");
    let last = first.last().unwrap()["seq"].as_u64().unwrap();
    let second = place.feed_until(&session, last, "run_ended").await;
    let end = second.last().unwrap();
    assert_eq!((&end["run"], &end["outcome"]["state"]), (&idle.json()["run"], &json!("completed")));
    let text = end["outcome"]["text"].as_str().unwrap();
    assert!(text.contains("tokens"), "{text}");
    let missing = place.call("POST", "/api/sessions/none/compact", "").await;
    assert_eq!(missing.status, 404);
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_and_questions_count_the_open_sessions() {
    let place = Place::new(WRITES).await;
    let (one, two) = (place.start("write a.txt").await, place.start("write a.txt").await);
    for session in [&one, &two] {
        place.feed_until(session, 0, "question_opened").await;
    }
    let listed = place.call("GET", "/api/questions", "").await.json();
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed}");
    let metrics = place.call("GET", "/metrics", "").await.body;
    assert!(metrics.contains("windlass_questions_open 2\n"), "{metrics}");
    assert!(metrics.contains("windlass_sessions{state=\"waiting\"} 2\n"), "{metrics}");
    assert_eq!(place.call("POST", &format!("/api/sessions/{one}/stop"), "").await.status, 202);
    place.feed_until(&one, 0, "run_ended").await;
    place.wait_for_end(&one).await;
    let metrics = place.call("GET", "/metrics", "").await.body;
    assert!(metrics.contains("windlass_sessions{state=\"stopped\"} 1\n"), "{metrics}");
    assert!(metrics.contains("windlass_questions_open 1\n"), "{metrics}");
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_parameters_of_a_sub_agent_belong_together() {
    let place = Place::new(WRITES).await;
    let session = place.start("write a.txt").await;
    place.feed_until(&session, 0, "question_opened").await;
    for (parameters, status) in
        [("?agent_call=c", 400), ("?agents=a", 400), ("?agent_call=c&agents=a/b", 409), ("", 409)]
    {
        let path = format!("/api/sessions/{session}/calls/x/stop{parameters}");
        assert_eq!(place.call("POST", &path, "").await.status, status, "{parameters}");
    }
    place.shutdown().await;
}
