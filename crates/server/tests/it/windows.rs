//! One run in three windows: an editor, the page, and a reader in the same process like the terminal.

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split,
};
use windlass_acp::{AcpAgent, AcpOptions};
use windlass_app::feed::{FeedEvent, FeedKind};
use windlass_app::sessions::{Answer, FeedStream};

use crate::place::{PATIENCE, Place};

const THREE_FILES: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "one.txt", "content": "1\n"}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "two.txt", "content": "2\n"}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "three.txt", "content": "3\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Written."}}}]}]}"#;

/// The client of the editor's protocol.
struct Editor {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Editor {
    fn connect(agent: AcpAgent) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (reader, writer) = split(far);
        tokio::spawn(async move { agent.serve_until(reader, writer, std::future::pending()).await });
        let (reader, writer) = split(near);
        Self { lines: BufReader::new(reader).lines(), writer }
    }

    async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Reads until a message fits.
    async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let work = async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("the connection stays open");
                let message: Value = serde_json::from_str(&line).unwrap();
                if fits(&message) {
                    return message;
                }
            }
        };
        tokio::time::timeout(PATIENCE, work).await.expect("the message arrives in time")
    }

    async fn request(&mut self, id: u64, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    /// Returns the id of the next request for a permission.
    async fn permission(&mut self) -> Value {
        self.until(|message| message["method"] == "session/request_permission").await["id"].clone()
    }

    /// Waits until the editor receives the request to close the card of a question.
    async fn closes(&mut self, request: &Value) {
        let is_cancel = |message: &Value| {
            message["method"] == "$/cancel_request" && message["params"]["requestId"] == *request
        };
        self.until(is_cancel).await;
    }
}

/// Reads the feed in the process until an event fits.
async fn until(feed: &mut FeedStream, fits: impl Fn(&FeedEvent) -> bool) -> FeedEvent {
    let work = async {
        loop {
            let event = feed.next().await.unwrap();
            if fits(&event) {
                return event;
            }
        }
    };
    tokio::time::timeout(PATIENCE, work).await.expect("the event arrives in time")
}

async fn opened(feed: &mut FeedStream) -> (String, u64) {
    let event = until(feed, |event| matches!(event.kind, FeedKind::QuestionOpened { .. })).await;
    let FeedKind::QuestionOpened { question, .. } = event.kind else { panic!("a question opens") };
    (question, event.seq)
}

async fn closed(feed: &mut FeedStream) -> String {
    let event = until(feed, |event| matches!(event.kind, FeedKind::QuestionClosed { .. })).await;
    let FeedKind::QuestionClosed { by, .. } = event.kind else { panic!("a question closes") };
    by.unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_one_window_closes_the_card_in_the_others() {
    let place = Place::new(THREE_FILES).await;
    let agent =
        AcpAgent::new(place.app.clone(), place.host.clone(), place.template.clone(), AcpOptions::default());
    let mut editor = Editor::connect(agent);
    let version = json!({"protocolVersion": 1, "clientCapabilities": {}});
    editor.request(1, "initialize", version).await;
    editor.until(|message| message["id"] == 1).await;
    let folder = json!({"cwd": place.template.root, "mcpServers": []});
    editor.request(2, "session/new", folder).await;
    let session =
        editor.until(|message| message["id"] == 2).await["result"]["sessionId"].as_str().unwrap().to_owned();
    let task = json!({"sessionId": session, "prompt": [{"type": "text", "text": "write three files"}]});
    editor.request(3, "session/prompt", task).await;

    // The page answers the first question.
    let request = editor.permission().await;
    let mut reader = place.host.watch(&session, None).await.unwrap();
    let (first, _) = opened(&mut reader).await;
    let path = format!("/api/sessions/{session}/answer");
    let once = |question: &str| json!({"answer": "once", "question": question}).to_string();
    assert_eq!(place.call("POST", &path, &once(&first)).await.status, 200);
    editor.closes(&request).await;
    assert_eq!(closed(&mut reader).await, "page on laptop");

    // The editor answers the second one. A late answer of the page does not count.
    let request = editor.permission().await;
    let (second, seq) = opened(&mut reader).await;
    let selected = json!({"outcome": {"outcome": "selected", "optionId": "once"}});
    editor.send(json!({"jsonrpc": "2.0", "id": request, "result": selected})).await;
    let events = place.feed_until(&session, seq, "question_closed").await;
    assert_eq!(events.last().unwrap()["by"], "editor");
    let late = place.call("POST", &path, &once(&second)).await;
    assert_eq!((late.status, &late.json()["by"]), (409, &json!("editor")), "{late:?}");
    assert_eq!(closed(&mut reader).await, "editor");

    // The process itself answers the third one.
    let request = editor.permission().await;
    let (third, seq) = opened(&mut reader).await;
    let run = place.host.handle(&session).expect("the run works");
    run.answer(&third, Answer::No { comment: None }, "terminal").unwrap();
    editor.closes(&request).await;
    let events = place.feed_until(&session, seq, "question_closed").await;
    assert_eq!(
        (&events.last().unwrap()["by"], &events.last().unwrap()["answer"]),
        (&json!("terminal"), &json!("denied"))
    );
    let late = place.call("POST", &path, &once(&third)).await;
    assert_eq!((late.status, &late.json()["by"]), (409, &json!("terminal")), "{late:?}");

    let response = editor.until(|message| message["id"] == 3).await;
    assert_eq!(response["result"]["stopReason"], "end_turn", "{response}");
    let written = ["one.txt", "two.txt", "three.txt"].map(|name| place.template.root.join(name).exists());
    assert_eq!(written, [true, true, false]);
    place.shutdown().await;
}
