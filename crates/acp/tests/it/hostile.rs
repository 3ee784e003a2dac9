//! Clients that break the protocol, or go away.

use serde_json::{Value, json};
use windlass_app::sessions::SessionState;

use crate::place::Place;

const WRITES: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}}]},
    {"steps": [{"text": "Written."}, {"call": {"name": "attempt_completion", "arguments": {"result": "Done."}}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn malformed_messages_get_errors_and_the_connection_stays() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    for (line, code) in [
        ("{", -32_700),
        ("\u{1}", -32_700),
        ("[1]", -32_600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"initialize"}"#, -32_600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs/format_disk"}"#, -32_601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"session/new"}"#, -32_602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"relative"}}"#, -32_602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[{}]}}"#,
            -32_602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}"#,
            -32_002,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"x"}}"#, -32_602),
    ] {
        client.send_bytes(format!("{line}\n").as_bytes()).await;
        let response = client.read().await;
        assert_eq!(response["error"]["code"], code, "{line}: {response}");
        assert!(response["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    client.send_bytes(b"\xff\xfe\n").await;
    assert_eq!(client.read().await["error"]["code"], -32_700);
    // An unknown notification and a response without a request get no response.
    client
        .send_bytes(
            b"\n{\"jsonrpc\":\"2.0\",\"method\":\"unknown\"}\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}\n",
        )
        .await;
    assert_eq!(client.call("initialize", json!({})).await["result"]["protocolVersion"], 1);
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_without_an_end_is_refused_and_skipped() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..17 {
        client.send_bytes(&piece).await;
    }
    client.send_bytes(b"\n").await;
    assert_eq!(client.read().await["error"]["code"], -32_600);
    assert_eq!(client.call("initialize", json!({})).await["result"]["protocolVersion"], 1);
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_refused_and_the_session_stays_usable() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    let picture = json!([{"type": "image", "data": "AA==", "mimeType": "image/png"}]);
    let refused = client.call("session/prompt", json!({"sessionId": session, "prompt": picture})).await;
    assert_eq!(refused["error"]["code"], -32_602, "{refused}");
    let id = client.prompt(&session, "write").await;
    let asked = client.permission().await;
    client.choose(&asked, "once").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_dies_while_it_is_asked_leaves_a_question_for_later() {
    let place = Place::new(WRITES).await;
    let mut client = place.connect();
    let session = client.open(&place.project).await;
    client.prompt(&session, "write").await;
    client.permission().await;
    client.close().await;
    let record = place.host.sessions().find(&session).unwrap();
    assert_eq!(record.state, SessionState::Suspended, "{record:?}");
    assert_eq!(place.file("a.txt"), None);

    // Another client resumes the run, and is asked again.
    let mut client = place.connect();
    let setup = json!({"sessionId": session, "cwd": place.project, "mcpServers": []});
    assert!(client.call("session/resume", setup).await["result"].is_object());
    let id = client.prompt(&session, "go on").await;
    let asked = client.permission().await;
    client.choose(&asked, "once").await;
    assert_eq!(client.response(id).await["result"]["stopReason"], "end_turn");
    assert_eq!(place.file("a.txt").as_deref(), Some("one\n"));
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_answers_to_a_permission_leave_the_question_open() {
    for answer in [
        json!({"result": {}}),
        json!({"error": {"code": 1, "message": "no"}}),
        json!({"result": {
        "outcome": {"outcome": "selected", "optionId": "everything"}}}),
    ] {
        let place = Place::new(WRITES).await;
        let mut client = place.connect();
        let session = client.open(&place.project).await;
        let id = client.prompt(&session, "write").await;
        let asked = client.permission().await;
        let mut response = json!({"jsonrpc": "2.0", "id": asked["id"]});
        response.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        client.send(&response).await;
        let end = client.response(id).await;
        assert_eq!(end["result"]["stopReason"], "end_turn", "{end}");
        assert_eq!((place.file("a.txt"), place.host.questions(&session).await.unwrap().len()), (None, 1));
        client.close().await;
        place.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_requests_is_bounded() {
    let script =
        r#"{"turns": [{"steps": [{"text": "long"}], "hostile": {"switch": "stall", "after_bytes": 60}}]}"#;
    let place = Place::new(script).await;
    let mut client = place.connect();
    let mut refused = 0;
    let mut prompts = Vec::new();
    for _ in 0..70 {
        let session = client.open(&place.project).await;
        prompts.push((client.prompt(&session, "wait").await, session));
        let probe = client.call("initialize", Value::Null).await;
        refused += usize::from(probe["error"]["code"] == -32_603);
        if refused > 0 {
            break;
        }
    }
    assert_eq!((refused, prompts.len()), (1, 64));
    client.close().await;
    place.shutdown().await;
}
