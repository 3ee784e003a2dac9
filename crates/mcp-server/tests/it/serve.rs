//! Served tools: the output to a client of another program, line by line.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use windlass_mcp_server::{
    CallFuture, Caller, Confirmation, HttpError, HttpServerOptions, HttpToken, ServeError, ToolHost,
    ToolServer,
};
use windlass_protocol::{
    Content, Hints, Image, ImageSource, ResultStatus, Risk, ToolCall, ToolName, ToolResult, ToolSpec,
};
use windlass_tool::{Human as _, Progress, Question};

/// Tools that act as their names describe, and the values that they received.
#[derive(Default)]
struct Fixture {
    seen: Mutex<Vec<String>>,
    stopped: CancellationToken,
}

fn spec(name: &str) -> ToolSpec {
    let schema = r#"{"type":"object","properties":{"text":{"type":"string"}}}"#.parse().unwrap();
    ToolSpec::function(ToolName::new(name).unwrap(), format!("Does {name}."), schema)
}

impl ToolHost for Fixture {
    fn tools(&self) -> Vec<(ToolSpec, Hints)> {
        let high = Hints { risk: Risk::High, open_world: true, ..Hints::default() };
        let harmless =
            ["echo", "content", "fail", "steps", "ask"].map(|name| (spec(name), Hints::read_only()));
        harmless.into_iter().chain(["guarded", "wait"].map(|name| (spec(name), high))).collect()
    }

    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture {
        Box::pin(async move {
            let (id, text) = (call.id.clone(), call.payload.text().clone());
            self.seen.lock().unwrap().push(format!("{} {text}", call.name));
            let ok = |text: String| ToolResult::text(id.clone(), ResultStatus::Ok, text);
            match call.name.as_str() {
                "content" => ToolResult::new(id, ResultStatus::Ok, contents()),
                "fail" => ToolResult::text(id, ResultStatus::Denied, "not here"),
                "steps" => {
                    caller.tell(Progress::Started);
                    caller.tell(Progress::Note("half".to_owned()));
                    caller.tell(Progress::Output("whole".to_owned()));
                    ok("stepped".to_owned())
                }
                "echo" if text.contains("many steps") => {
                    // More than fits into the pipe to the client.
                    for _ in 0..64 {
                        caller.tell(Progress::Note("x".repeat(4_000)));
                        tokio::task::yield_now().await;
                    }
                    self.seen.lock().unwrap().push("stepped".to_owned());
                    ok("stepped".to_owned())
                }
                "ask" => match caller.answer(&Question::new("which?", vec!["a".to_owned()])).await {
                    Ok(answer) => ok(format!("answered {answer}")),
                    Err(nobody) => ok(nobody.to_string()),
                },
                "guarded" => match caller.confirm("May it run?").await {
                    Confirmation::Yes => ok("ran".to_owned()),
                    Confirmation::No(why) => ToolResult::text(id, ResultStatus::Denied, format!("{why:?}")),
                    Confirmation::Nobody => ToolResult::text(id, ResultStatus::Denied, "nobody"),
                },
                "wait" => {
                    caller.cancellation().cancelled().await;
                    self.stopped.cancel();
                    ToolResult::text(id, ResultStatus::Cancelled, "stopped")
                }
                _ => ok(text),
            }
        })
    }
}

fn contents() -> Vec<Content> {
    let image: Image =
        serde_json::from_value(json!({"media_type": "image/png", "source": {"base64": "AAAA"}})).unwrap();
    assert_eq!(image.source, ImageSource::Base64("AAAA".to_owned()));
    vec![
        Content::text("words"),
        Content::Image(image),
        Content::Resource {
            uri: "file:///a".to_owned(),
            media_type: Some("text/plain".to_owned()),
            text: "a".to_owned(),
        },
        Content::Structured { value: json!({"n": 1}) },
    ]
}

/// A client that writes lines and reads lines.
struct Client {
    writer: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    fixture: Arc<Fixture>,
    end: tokio::task::JoinHandle<Result<(), ServeError>>,
}

impl Client {
    fn start() -> Self {
        let fixture = Arc::new(Fixture::default());
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = ToolServer::new(fixture.clone()).with_name("tools", "9").with_instructions("be kind");
        let end = tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(theirs);
            server.serve(reader, writer, CancellationToken::new()).await
        });
        let (reader, writer) = tokio::io::split(ours);
        Self { writer, lines: BufReader::new(reader).lines(), fixture, end }
    }

    async fn greeted(capabilities: Value) -> Self {
        let mut client = Self::start();
        let hello = client
            .ask(
                0,
                "initialize",
                json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"}}),
            )
            .await;
        assert_eq!(hello["result"]["serverInfo"]["name"], "tools");
        assert_eq!(hello["result"]["instructions"], "be kind");
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25");
        client.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn say(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line()).await.unwrap();
        serde_json::from_str(&line.unwrap().unwrap()).unwrap()
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        self.hear().await
    }

    async fn call(&mut self, id: u32, name: &str, arguments: Value) -> Value {
        self.ask(id, "tools/call", json!({"name": name, "arguments": arguments})).await
    }
}

#[tokio::test]
async fn tools_are_listed_with_annotations_from_their_hints() {
    let mut client = Client::greeted(json!({})).await;
    let listed = client.ask(1, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 7);
    let echo = json!({"name": "echo", "description": "Does echo.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}});
    assert_eq!(tools[0], echo);
    let guarded = json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true});
    assert_eq!(tools[5]["annotations"], guarded);
    let beyond = client.ask(2, "tools/list", json!({"cursor": "next"})).await;
    assert_eq!(beyond["error"]["code"], -32602);
}

#[tokio::test]
async fn a_call_gives_every_kind_of_content_and_a_failure_is_an_error_result() {
    let mut client = Client::greeted(json!({})).await;
    let echo = client.call(1, "echo", json!({"text": "hello"})).await;
    assert_eq!(echo["result"]["content"], json!([{"type": "text", "text": r#"{"text":"hello"}"#}]));
    assert_eq!(echo["result"]["isError"], false);
    let mixed = client.call(2, "content", json!({})).await;
    let expected = json!([
        {"type": "text", "text": "words"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "a"}},
        {"type": "text", "text": r#"{"n":1}"#},
    ]);
    assert_eq!(mixed["result"]["content"], expected);
    assert_eq!(mixed["result"]["structuredContent"], json!({"n": 1}));
    let failed = client.call(3, "fail", json!({})).await;
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(failed["result"]["content"][0]["text"], "[denied]");
    assert_eq!(failed["result"]["content"][1]["text"], "not here");
}

// M6
#[tokio::test]
async fn a_tool_that_is_not_served_is_refused_and_nothing_runs() {
    let mut client = Client::greeted(json!({})).await;
    for (id, name) in [(1, "nothing"), (2, "Echo"), (3, ""), (4, "no such\u{202e}name")] {
        let refused = client.call(id, name, json!({})).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    assert!(client.fixture.seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn progress_is_sent_only_for_a_progress_token() {
    let mut client = Client::greeted(json!({})).await;
    let silent = client.call(1, "steps", json!({})).await;
    assert_eq!(silent["result"]["content"][0]["text"], "stepped");
    let params = json!({"name": "steps", "arguments": {}, "_meta": {"progressToken": "t"}});
    let first = client.ask(2, "tools/call", params).await;
    assert_eq!(first["params"], json!({"progressToken": "t", "progress": 1.0, "message": "half"}));
    let second = client.hear().await;
    assert_eq!(second["params"], json!({"progressToken": "t", "progress": 2.0, "message": "whole"}));
    assert_eq!(client.hear().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_its_progress_does_not_keep_a_call_from_its_end() {
    let mut client = Client::greeted(json!({})).await;
    let params =
        json!({"name": "echo", "arguments": {"text": "many steps"}, "_meta": {"progressToken": "t"}});
    client.say(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
    let fixture = client.fixture.clone();
    let ends = async {
        while fixture.seen.lock().unwrap().last().is_none_or(|seen| seen != "stepped") {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_hours(1), ends).await.expect("the call waits for its client");
    assert_eq!(client.hear().await["method"], "notifications/progress");
}

// H4, H12
#[tokio::test]
async fn approvals_use_elicitation_and_only_an_explicit_yes_approves() {
    let mut client = Client::greeted(json!({"elicitation": {}})).await;
    let cases = [
        (json!({"action": "accept", "content": {"allow": true}}), false, "ran"),
        (
            json!({"action": "accept", "content": {"allow": false, "comment": " later "}}),
            true,
            "Some(\"later\")",
        ),
        (json!({"action": "accept", "content": {"allow": "yes"}}), true, "None"),
        (json!({"action": "accept", "content": {}}), true, "None"),
        (json!({"action": "accept"}), true, "None"),
        (json!({"action": "decline"}), true, "None"),
        (json!({"action": "cancel"}), true, "None"),
    ];
    for (id, (answer, is_error, text)) in (1..).zip(cases) {
        let question = client.call(id, "guarded", json!({})).await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert_eq!(question["params"]["message"], "May it run?");
        assert_eq!(question["params"]["requestedSchema"]["properties"]["allow"]["default"], false);
        client.say(json!({"jsonrpc": "2.0", "id": question["id"], "result": answer})).await;
        let result = client.hear().await;
        let content = result["result"]["content"].as_array().unwrap();
        assert_eq!(
            (&result["result"]["isError"], &content.last().unwrap()["text"]),
            (&json!(is_error), &json!(text))
        );
    }
    let question = client.call(20, "ask", json!({})).await;
    assert_eq!(question["params"]["message"], "which?\n- a");
    client
        .say(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"answer": "b"}}}))
        .await;
    assert_eq!(client.hear().await["result"]["content"][0]["text"], "answered b");
    // A client that cannot ask has no approver.
    let mut mute = Client::greeted(json!({})).await;
    assert_eq!(mute.call(1, "guarded", json!({})).await["result"]["content"][1]["text"], "nobody");
    assert_eq!(
        mute.call(2, "ask", json!({})).await["result"]["content"][0]["text"],
        "no human is available to answer"
    );
}

/// A request of the newest protocol, which has no handshake and takes questions in results.
fn modern(name: &str, more: &Value) -> Value {
    let mut params = json!({"name": name, "arguments": {"text": "x"}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }});
    for (key, value) in more.as_object().unwrap() {
        params[key] = value.clone();
    }
    params
}

// H4
#[tokio::test]
async fn a_client_of_the_newest_protocol_answers_with_its_next_request_and_only_once() {
    let mut client = Client::start();
    let asked = client.ask(1, "tools/call", modern("guarded", &json!({}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert_eq!(asked["result"]["inputRequests"]["question"]["params"]["message"], "May it run?");
    let state = asked["result"]["requestState"].clone();
    let yes = json!({"question": {"action": "accept", "content": {"allow": true}}});
    let answered = json!({"requestState": state, "inputResponses": yes});
    let ran = client.ask(2, "tools/call", modern("guarded", &answered)).await;
    assert_eq!(ran["result"]["content"][0]["text"], "ran", "{ran}");
    let again = client.ask(3, "tools/call", modern("guarded", &answered)).await;
    assert_eq!(again["error"]["code"], -32602, "{again}");
    let made_up = json!({"requestState": "00112233445566778899aabbccddeeff", "inputResponses": yes});
    assert_eq!(client.ask(4, "tools/call", modern("guarded", &made_up)).await["error"]["code"], -32602);
    // The answer to one call does not count for another.
    let asked = client.ask(5, "tools/call", modern("guarded", &json!({}))).await;
    let state = asked["result"]["requestState"].clone();
    let other = json!({"requestState": state, "inputResponses": yes, "arguments": {"text": "y"}});
    assert_eq!(client.ask(6, "tools/call", modern("guarded", &other)).await["error"]["code"], -32602);
    let late = json!({"requestState": state, "inputResponses": yes});
    assert_eq!(client.ask(7, "tools/call", modern("guarded", &late)).await["error"]["code"], -32602);
    // An approval before the question is not an approval.
    let early = json!({"inputResponses": yes});
    let asked = client.ask(8, "tools/call", modern("guarded", &early)).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
}

// H4
#[tokio::test]
async fn an_unanswered_question_is_repeated_three_times_and_then_denied() {
    let mut client = Client::start();
    let mut asked = client.ask(1, "tools/call", modern("guarded", &json!({}))).await;
    for (id, responses) in (2..).zip([json!(null), json!({"question": 12345}), json!({"other": {}})]) {
        let again = json!({"requestState": asked["result"]["requestState"], "inputResponses": responses});
        let repeated = client.ask(id, "tools/call", modern("guarded", &again)).await;
        assert_eq!(repeated["result"]["inputRequests"], asked["result"]["inputRequests"], "{repeated}");
        assert_ne!(repeated["result"]["requestState"], asked["result"]["requestState"]);
        asked = repeated;
    }
    let silent = json!({"requestState": asked["result"]["requestState"]});
    let denied = client.ask(9, "tools/call", modern("guarded", &silent)).await;
    assert_eq!(denied["result"]["isError"], true, "{denied}");
}

// M2
#[tokio::test]
async fn a_cancelled_call_receives_the_cancellation() {
    let mut client = Client::greeted(json!({})).await;
    client.say(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait", "arguments": {}}})).await;
    while client.fixture.seen.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    client
        .say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    tokio::time::timeout(Duration::from_secs(20), client.fixture.stopped.cancelled()).await.unwrap();
    // The server continues.
    assert_eq!(client.call(2, "echo", json!({})).await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_has_gone_ends_its_calls_and_the_server() {
    let mut client = Client::greeted(json!({})).await;
    client.say(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait", "arguments": {}}})).await;
    while client.fixture.seen.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let Client { writer, lines, fixture, end } = client;
    drop((writer, lines));
    end.await.unwrap().unwrap();
    fixture.stopped.cancelled().await;
}

async fn served(options: HttpServerOptions) -> (u16, CancellationToken) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (stop, server) = (CancellationToken::new(), ToolServer::new(Arc::new(Fixture::default())));
    let token = stop.clone();
    tokio::spawn(async move { server.serve_http(listener, options, token).await });
    (port, stop)
}

/// The status and the text of an answer.
async fn post(port: u16, path: &str, headers: &str) -> (u16, String) {
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
        .to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let mut buf = [0; 4096];
    // An event stream stays open: its first answer is enough.
    while let Ok(Ok(len @ 1..)) = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut buf)).await {
        answer.extend_from_slice(&buf[..len]);
        if String::from_utf8_lossy(&answer).contains("serverInfo") {
            break;
        }
    }
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
    (status, text)
}

// SECURITY "MCP": bind loopback, check Host and Origin, token
#[tokio::test]
async fn over_http_only_requests_with_token_and_host_name_are_accepted() {
    let (port, stop) = served(HttpServerOptions::with_token(HttpToken::new("t0ken"))).await;
    let (own, bearer) = ("Host: 127.0.0.1\r\n", "Authorization: Bearer t0ken\r\n");
    let (status, text) = post(port, "/mcp", &format!("{own}{bearer}")).await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("\"windlass\"") && text.to_lowercase().contains("mcp-session-id"), "{text}");
    let (status, text) = post(port, "/mcp", own).await;
    assert_eq!(status, 401);
    assert!(text.to_lowercase().contains("www-authenticate: bearer"), "{text}");
    assert_eq!(post(port, "/mcp", &format!("Host: evil.example\r\n{bearer}")).await.0, 403);
    assert_eq!(post(port, "/mcp", &format!("{own}{bearer}Origin: http://evil.example\r\n")).await.0, 403);
    assert_eq!(post(port, "/other", &format!("{own}{bearer}")).await.0, 404);
    stop.cancel();
    let (port, _stop) = served(HttpServerOptions::allow_without_token()).await;
    assert_eq!(post(port, "/mcp", own).await.0, 200);
}

#[tokio::test]
async fn other_machines_are_accepted_only_if_allowed_and_with_a_token() {
    let server = ToolServer::new(Arc::new(Fixture::default()));
    let mut refused = Vec::new();
    for options in [
        HttpServerOptions::with_token(HttpToken::new("t0ken")),
        HttpServerOptions::allow_without_token().with_host("box.lan"),
    ] {
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        refused.push(server.serve_http(listener, options, CancellationToken::new()).await.unwrap_err());
    }
    assert!(matches!(refused[0], ServeError::Http(HttpError::Reachable { .. })), "{}", refused[0]);
    assert!(matches!(refused[1], ServeError::Http(HttpError::NoToken { .. })), "{}", refused[1]);
}

// correctness, suspicion 4: with all places taken by event streams the server did not stop.
#[tokio::test]
async fn a_server_with_all_places_taken_stops() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (stop, server) = (CancellationToken::new(), ToolServer::new(Arc::new(Fixture::default())));
    let (token, mut options) = (stop.clone(), HttpServerOptions::allow_without_token());
    options.connections = 1;
    let serving = tokio::spawn(async move { server.serve_http(listener, options, token).await });
    let mut held = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    held.write_all(b"GET /mcp HTTP/1.1\r\n").await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    stop.cancel();
    let end = tokio::time::timeout(Duration::from_secs(5), serving).await;
    assert!(end.unwrap().unwrap().is_ok());
}

// correctness 16
#[tokio::test]
async fn a_body_that_never_ends_gives_its_place_back() {
    let mut options = HttpServerOptions::allow_without_token();
    (options.connections, options.body_timeout) = (1, Duration::from_millis(200));
    let (port, _stop) = served(options).await;
    let mut half = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99\r\n\r\n{";
    half.write_all(head).await.unwrap();
    let next = post(port, "/mcp", "Host: 127.0.0.1\r\n");
    assert_eq!(tokio::time::timeout(Duration::from_secs(5), next).await.unwrap().0, 200);
}
