//! Resources and prompts that are served.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;
use windlass_mcp_server::{
    CallFuture, Caller, FormReply, HostError, Prompt, PromptArgument, PromptFuture, PromptHost,
    PromptMessage, PromptRole, ReadFuture, Resource, ResourceChanges, ResourceContents, ResourceHost,
    ResourceTemplate, ToolHost, ToolServer,
};
use windlass_protocol::{Content, Hints, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec};

/// One tool with a form, two resources, a template, and a prompt.
pub(crate) struct Offered;

impl ToolHost for Offered {
    fn tools(&self) -> Vec<(ToolSpec, Hints)> {
        let spec = |name| {
            let schema = r#"{"type":"object"}"#.parse().unwrap();
            (ToolSpec::function(ToolName::new(name).unwrap(), "Asks.", schema), Hints::read_only())
        };
        vec![spec("form"), spec("forms")]
    }

    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture {
        Box::pin(async move {
            if call.name.as_str() == "forms" {
                return ToolResult::text(call.id.clone(), ResultStatus::Ok, fill_three(&caller).await);
            }
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

/// Asks for a name twice, and for a color.
async fn fill_three(caller: &Caller) -> String {
    let mut words = String::new();
    for (name, field) in [("who", "name"), ("who", "name"), ("color", "color")] {
        let schema = json!({"type": "object", "properties": {field: {"type": "string"}}});
        match caller.fill_named_form(name, format!("Which {field}?"), schema).await {
            FormReply::Filled(value) => words.push_str(value[field].as_str().unwrap_or("?")),
            other => words.extend([format!("{other:?}")]),
        }
        words.push(' ');
    }
    words
}

impl ResourceHost for Offered {
    fn resources(&self) -> Vec<Resource> {
        let note = Resource::new("note://1", "one").with_title("One").with_description("The first.");
        vec![note.with_media_type("text/plain"), Resource::new("note://2", "two")]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new("note://{id}", "notes").with_description("All notes.")]
    }

    fn changes(&self) -> Option<ResourceChanges> {
        static CHANGES: LazyLock<ResourceChanges> = LazyLock::new(ResourceChanges::new);
        Some(CHANGES.clone())
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
        let tone = PromptArgument::new("tone").with_suggestions(["calm", "cold", "warm"]);
        vec![review.with_argument(topic).with_argument(tone), Prompt::new("asks")]
    }

    fn fill_for(
        self: Arc<Self>,
        name: String,
        arguments: BTreeMap<String, String>,
        caller: Caller,
    ) -> PromptFuture {
        if name != "asks" {
            return self.fill(name, arguments);
        }
        Box::pin(async move {
            let schema = json!({"type": "object", "properties": {"topic": {"type": "string"}}});
            match caller.fill_named_form("topic", "Which topic?", schema).await {
                FormReply::Filled(value) => Ok(vec![PromptMessage::user(value["topic"].to_string())]),
                _ => Err(HostError::Invalid("a topic is needed".to_owned())),
            }
        })
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

pub(crate) fn server() -> ToolServer {
    ToolServer::new(Arc::new(Offered)).with_resources(Arc::new(Offered)).with_prompts(Arc::new(Offered))
}

/// A client that sends lines to a server over a pipe.
pub(crate) struct Pipe {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Pipe {
    pub(crate) fn start(server: ToolServer) -> Self {
        let (ours, theirs) = tokio::io::duplex(1024 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(async move { server.serve(reader, writer, CancellationToken::new()).await });
        let (reader, writer) = tokio::io::split(ours);
        Self { lines: BufReader::new(reader).lines(), writer }
    }

    pub(crate) async fn tell(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line()).await.unwrap();
        serde_json::from_str(&line.unwrap().unwrap()).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.tell(message).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], message["id"], "{answer}");
        answer
    }
}

/// Sends lines to the server over a pipe, and returns its messages by id.
pub(crate) async fn exchange(server: ToolServer, messages: &[Value]) -> BTreeMap<u64, Value> {
    let mut client = Pipe::start(server);
    let mut answers = BTreeMap::new();
    for message in messages {
        match message["id"].as_u64() {
            Some(id) => drop(answers.insert(id, client.ask(message).await)),
            None => client.tell(message).await,
        }
    }
    answers
}

/// The answers of the server to these requests, over the handshake of an older version.
pub(crate) async fn older(server: ToolServer, requests: &[(&str, Value)]) -> Vec<Value> {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let mut messages = vec![hello, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})];
    messages.extend(requests.iter().zip(1..).map(
        |((method, params), id)| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
    ));
    exchange(server, &messages).await.into_values().collect()
}

/// A request of 2026-07-28.
pub(crate) fn newer(id: u32, method: &str, params: &Value) -> Value {
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
async fn subscribed_clients_are_notified_of_changes() {
    let mut client = Pipe::start(server());
    let ask = |id: u32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let hello = client.ask(&ask(1, "initialize", hello)).await;
    assert_eq!(hello["result"]["capabilities"]["resources"]["subscribe"], true, "{hello}");
    client.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let one = json!({"uri": "note://1"});
    let subscribed = client.ask(&ask(2, "resources/subscribe", one.clone())).await;
    assert!(subscribed["result"].is_object(), "{subscribed}");
    let changes = ResourceHost::changes(&Offered).unwrap();
    for uri in ["note://2", "note://1"] {
        assert!(changes.announce(uri) > 0);
    }
    let told = client.next().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "note://1", "{told}");
    client.ask(&ask(3, "resources/unsubscribe", one)).await;
    changes.announce("note://1");
    // The next message is the response and not a notification.
    client.ask(&ask(4, "resources/list", json!({}))).await;
    for number in 0..64 {
        let many = json!({"uri": format!("note://many/{number}")});
        let subscribed = client.ask(&ask(5 + number, "resources/subscribe", many)).await;
        assert!(subscribed["result"].is_object(), "{subscribed}");
    }
    let refused = client.ask(&ask(99, "resources/subscribe", json!({"uri": "note://1"}))).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[tokio::test]
async fn a_client_of_the_newest_protocol_listens_to_changes() {
    let mut client = Pipe::start(server());
    let wanted = json!({"notifications": {"resourceSubscriptions": ["note://3"], "toolsListChanged": true}});
    client.tell(&newer(1, "subscriptions/listen", &wanted)).await;
    let accepted = client.next().await;
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged", "{accepted}");
    assert_eq!(
        accepted["params"]["notifications"],
        json!({"resourceSubscriptions": ["note://3"]}),
        "{accepted}"
    );
    let changes = ResourceHost::changes(&Offered).unwrap();
    // The subscription begins soon after its acknowledgment.
    let told = loop {
        changes.announce("note://4");
        changes.announce("note://3");
        if let Ok(told) = tokio::time::timeout(Duration::from_millis(50), client.next()).await {
            break told;
        }
    };
    assert_eq!(told["method"], "notifications/resources/updated", "{told}");
    assert_eq!(told["params"]["uri"], "note://3", "{told}");
    client
        .tell(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
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
