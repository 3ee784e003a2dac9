//! Resources and prompts that are served, and the forms of tools.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use windlass_mcp_server::{
    CallFuture, Caller, FormReply, HostError, HttpServerOptions, Prompt, PromptArgument, PromptFuture,
    PromptHost, PromptMessage, PromptRole, ReadFuture, Resource, ResourceContents, ResourceHost,
    ResourceTemplate, ToolHost, ToolServer,
};
use windlass_protocol::{Content, Hints, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec};

/// One tool with a form, two resources, a template, and a prompt.
struct Offered;

impl ToolHost for Offered {
    fn tools(&self) -> Vec<(ToolSpec, Hints)> {
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        vec![(ToolSpec::function(ToolName::new("form").unwrap(), "Asks.", schema), Hints::read_only())]
    }

    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture {
        Box::pin(async move {
            let kind = if call.payload.text().contains("odd") { "object" } else { "integer" };
            let schema = json!({"type": "object", "properties": {"age": {"type": kind, "default": 3}}});
            let words = match caller.fill_form("How old?", schema).await {
                FormReply::Filled(value) => value.to_string(),
                other => format!("{other:?}"),
            };
            ToolResult::text(call.id.clone(), ResultStatus::Ok, words)
        })
    }
}

impl ResourceHost for Offered {
    fn resources(&self) -> Vec<Resource> {
        let note = Resource::new("note://1", "one").with_title("One").with_description("The first.");
        vec![note.with_media_type("text/plain"), Resource::new("note://2", "two")]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new("note://{id}", "notes").with_description("All notes.")]
    }

    fn read(self: Arc<Self>, uri: String) -> ReadFuture {
        Box::pin(async move {
            match uri.as_str() {
                "note://1" => Ok(vec![
                    ResourceContents::text(&uri, "first").with_media_type("text/plain"),
                    ResourceContents::base64("note://1/picture", "AAAA").with_media_type("image/png"),
                ]),
                "note://locked" => Err(HostError::Failed("the disk is gone".to_owned())),
                "note://odd" => Err(HostError::Invalid("no note has this number".to_owned())),
                "note://slow" => std::future::pending().await,
                _ => Err(HostError::NotFound),
            }
        })
    }
}

impl PromptHost for Offered {
    fn prompts(&self) -> Vec<Prompt> {
        let topic = PromptArgument::new_required("topic").with_description("What about.");
        let review = Prompt::new("review").with_title("Review").with_description("Reviews a topic.");
        vec![review.with_argument(topic).with_argument(PromptArgument::new("tone"))]
    }

    fn fill(self: Arc<Self>, name: String, arguments: BTreeMap<String, String>) -> PromptFuture {
        Box::pin(async move {
            if arguments["topic"] == "nothing" {
                return Err(HostError::Failed("there is nothing to review".to_owned()));
            }
            let document =
                Content::Resource { uri: "note://1".to_owned(), media_type: None, text: "first".to_owned() };
            Ok(vec![
                PromptMessage::user(format!("{name} {arguments:?}")),
                PromptMessage::new(PromptRole::Assistant, document),
            ])
        })
    }
}

fn server() -> ToolServer {
    ToolServer::new(Arc::new(Offered)).with_resources(Arc::new(Offered)).with_prompts(Arc::new(Offered))
}

/// Sends lines to the server over a pipe, and returns its messages by id.
async fn exchange(server: ToolServer, messages: &[Value]) -> BTreeMap<u64, Value> {
    let (ours, theirs) = tokio::io::duplex(1024 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    let serving = tokio::spawn(async move { server.serve(reader, writer, CancellationToken::new()).await });
    let (reader, mut writer) = tokio::io::split(ours);
    let mut lines = BufReader::new(reader).lines();
    let mut answers = BTreeMap::new();
    for message in messages {
        writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        let Some(id) = message["id"].as_u64() else { continue };
        let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await.unwrap();
        let answer: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answers.insert(id, answer);
    }
    drop((writer, lines));
    let _ = serving.await;
    answers
}

/// The answers of the server to these requests, over the handshake of an older version.
async fn older(server: ToolServer, requests: &[(&str, Value)]) -> Vec<Value> {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let mut messages = vec![hello, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})];
    messages.extend(requests.iter().zip(1..).map(
        |((method, params), id)| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
    ));
    exchange(server, &messages).await.into_values().collect()
}

/// A request of 2026-07-28.
fn newer(id: u32, method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let read = |uri: &str| ("resources/read", json!({ "uri": uri }));
    let answers = older(
        server(),
        &[
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            read("note://1"),
            read("note://9"),
            read("note://locked"),
            read("note://odd"),
            read(&format!("note://{}", "x".repeat(9_000))),
            ("resources/list", json!({"cursor": "2"})),
        ],
    )
    .await;
    assert!(answers[0]["result"]["capabilities"]["resources"].is_object());
    let listed = &answers[1]["result"]["resources"];
    assert_eq!(
        listed[0],
        json!({"uri": "note://1", "name": "one", "title": "One", "description": "The first.", "mimeType": "text/plain"})
    );
    assert_eq!(listed[1], json!({"uri": "note://2", "name": "two"}));
    assert_eq!(answers[2]["result"]["resourceTemplates"][0]["uriTemplate"], "note://{id}");
    let contents = json!([{"uri": "note://1", "mimeType": "text/plain", "text": "first"},
        {"uri": "note://1/picture", "mimeType": "image/png", "blob": "AAAA"}]);
    assert_eq!(answers[3]["result"]["contents"], contents);
    assert_eq!(
        (&answers[4]["error"]["code"], &answers[4]["error"]["data"]["uri"]),
        (&json!(-32002), &json!("note://9"))
    );
    assert_eq!(
        (&answers[5]["error"]["code"], &answers[5]["error"]["message"]),
        (&json!(-32603), &json!("the disk is gone"))
    );
    assert_eq!(answers[6]["error"]["code"], -32602);
    assert_eq!(answers[7]["error"]["code"], -32602);
    assert_eq!(answers[8]["error"]["code"], -32602);
}

#[tokio::test]
async fn prompts_are_filled_in_with_checked_arguments() {
    let get = |name: &str, arguments: Value| ("prompts/get", json!({"name": name, "arguments": arguments}));
    let answers = older(
        server(),
        &[
            ("prompts/list", json!({})),
            get("review", json!({"topic": "a", "tone": "kind"})),
            get("review", json!({"tone": "kind"})),
            get("review", json!({"topic": "a", "length": "9"})),
            get("review", json!({"topic": 7})),
            get("other", json!({})),
            get("review", json!({"topic": "nothing"})),
        ],
    )
    .await;
    assert!(answers[0]["result"]["capabilities"]["prompts"].is_object());
    let listed = &answers[1]["result"]["prompts"][0];
    assert_eq!((&listed["name"], &listed["title"]), (&json!("review"), &json!("Review")));
    assert_eq!(
        listed["arguments"][0],
        json!({"name": "topic", "description": "What about.", "required": true})
    );
    assert_eq!(listed["arguments"][1]["required"], false);
    let messages = &answers[2]["result"]["messages"];
    assert_eq!(answers[2]["result"]["description"], "Reviews a topic.");
    assert_eq!(messages[0]["content"]["text"], r#"review {"tone": "kind", "topic": "a"}"#);
    assert_eq!(
        (&messages[1]["role"], &messages[1]["content"]["resource"]["text"]),
        (&json!("assistant"), &json!("first"))
    );
    for (answer, part) in
        [(3, "\"topic\" is missing"), (4, "no argument \"length\""), (5, "not a text"), (6, "unknown prompt")]
    {
        let error = &answers[answer]["error"];
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
    }
    assert_eq!(answers[7]["error"]["message"], "there is nothing to review");
}

#[tokio::test]
async fn a_server_of_tools_offers_neither_resources_nor_prompts() {
    let answers = older(
        ToolServer::new(Arc::new(Offered)),
        &[
            ("resources/list", json!({})),
            ("prompts/list", json!({})),
            ("resources/read", json!({"uri": "note://1"})),
            ("prompts/get", json!({"name": "review"})),
        ],
    )
    .await;
    let capabilities = &answers[0]["result"]["capabilities"];
    assert!(capabilities["resources"].is_null() && capabilities["prompts"].is_null(), "{capabilities}");
    assert_eq!(
        (&answers[1]["result"]["resources"], &answers[2]["result"]["prompts"]),
        (&json!([]), &json!([]))
    );
    assert!(answers[3]["error"].is_object() && answers[4]["error"].is_object());
}

#[tokio::test]
async fn the_newest_protocol_discovers_and_reads_without_a_handshake() {
    let answers = exchange(
        server(),
        &[
            newer(1, "server/discover", &json!({})),
            newer(2, "resources/read", &json!({"uri": "note://1"})),
            newer(3, "resources/read", &json!({"uri": "note://9"})),
            newer(4, "prompts/get", &json!({"name": "review", "arguments": {"topic": "a"}})),
            newer(5, "resources/list", &json!({})),
        ],
    )
    .await;
    let discovered = &answers[&1]["result"];
    assert!(
        discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{discovered}"
    );
    assert!(
        discovered["capabilities"]["resources"].is_object()
            && discovered["capabilities"]["prompts"].is_object()
    );
    assert_eq!(answers[&2]["result"]["resultType"], "complete");
    assert_eq!(answers[&2]["result"]["contents"][0]["text"], "first");
    assert_eq!(answers[&3]["error"]["code"], -32602, "the code of 2026-07-28");
    assert_eq!(answers[&4]["result"]["resultType"], "complete");
    assert!(answers[&5]["result"]["ttlMs"].is_u64());
}

#[tokio::test]
async fn a_tool_shows_its_own_form() {
    let call = |id, more: &Value| {
        let mut params = json!({"name": "form", "arguments": {}});
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        newer(id, "tools/call", &params)
    };
    let answers =
        exchange(server(), &[call(1, &json!({})), call(2, &json!({"arguments": {"kind": "odd"}}))]).await;
    let form = &answers[&1]["result"]["inputRequests"]["question"]["params"];
    assert_eq!(form["message"], "How old?");
    assert_eq!(form["requestedSchema"]["properties"]["age"]["default"], 3, "{form}");
    // A schema that the protocol does not allow is not sent.
    assert!(answers[&2]["error"].is_object(), "{}", answers[&2]);
    // A client without forms.
    let answers = older(server(), &[("tools/call", json!({"name": "form", "arguments": {}}))]).await;
    assert_eq!(answers[1]["result"]["content"][0]["text"], "Nobody");
}

/// The head and the body of the answer to a request.
async fn request(port: u16, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let text = format!(
        "{head} /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\nConnection: close\r\n{body}",
        body.split_once("\r\n\r\n").map_or(0, |(_, body)| body.len())
    );
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let mut buf = [0; 4096];
    while let Ok(Ok(len @ 1..)) = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut buf)).await {
        answer.extend_from_slice(&buf[..len]);
        if String::from_utf8_lossy(&answer).contains("serverInfo") {
            break;
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn the_end_of_a_session_is_answered_with_204() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let stop = CancellationToken::new();
    let token = stop.clone();
    let serving = tokio::spawn(async move {
        server().serve_http(listener, HttpServerOptions::allow_without_token(), token).await
    });
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let answer = request(port, "POST", &format!("\r\n{hello}").replacen("\r\n", "X: 1\r\n\r\n", 1)).await;
    let session = answer
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
    let session = format!("mcp-session-id: {}\r\n\r\n", session.unwrap());
    let ended = request(port, "DELETE", &session).await;
    assert!(ended.starts_with("HTTP/1.1 204 "), "{ended}");
    stop.cancel();
    serving.await.unwrap().unwrap();
}
