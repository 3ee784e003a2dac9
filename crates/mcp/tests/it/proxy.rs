//! Tools and resources of MCP servers that are called by one name.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass_mcp::{ClientOptions, ConnectionOptions, McpClient, McpConnections, McpServer};
use windlass_protocol::{Arguments, CallId, Content, Effect, Hints, Payload, ResultStatus, ToolSpec};
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};

use crate::fake::{FakeServer, answer, polite, with_tools};

/// A tool of a server that records the arguments of its calls.
struct Recorded {
    tool: Arc<dyn Tool>,
    called: Arc<Mutex<Vec<String>>>,
}

impl Tool for Recorded {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn hints(&self) -> Hints {
        self.tool.hints()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        self.tool.effects(payload)
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        self.tool.inspect(payload)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        let Payload::Function { arguments } = payload else { unreachable!() };
        self.called.lock().unwrap().push(arguments.as_str().to_owned());
        self.tool.call(ctx, payload)
    }
}

/// The server `tracker` with a tool and resources, the server `clock` without any, and the recorded calls.
struct Scene {
    connections: McpConnections,
    called: Arc<Mutex<Vec<String>>>,
}

impl Scene {
    async fn start() -> Self {
        let close = json!([{"name": "close", "description": "A tool.", "inputSchema":
            {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}}]);
        let tracker = FakeServer::new(move |message| {
            let result = match message["method"].as_str() {
                Some("initialize") => {
                    json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "resources": {}}})
                }
                Some("tools/call") => json!({"content": [{"type": "text", "text": "closed"}]}),
                Some("resources/read") => json!({"contents": [{"uri": "issue:", "text": "an issue"}]}),
                _ => return polite(message, &close),
            };
            vec![answer(message, &result)]
        });
        let called = Arc::<Mutex<Vec<String>>>::default();
        let calls = called.clone();
        let options = ClientOptions::default()
            .with_each(move |_, tool| Arc::new(Recorded { tool, called: calls.clone() }));
        let client = |id: &str, fake: &Arc<FakeServer>| {
            McpClient::with_connector(
                McpServer::new(id, "no program").unwrap(),
                fake.clone(),
                options.clone(),
            )
        };
        let clients = [client("tracker", &tracker), client("clock", &with_tools(json!([])))];
        let connections = McpConnections::start_clients(clients, ConnectionOptions::default()).await.unwrap();
        connections.wait_until_settled().await;
        Self { connections, called }
    }

    fn proxy(&self, name: &str) -> Arc<dyn Tool> {
        let proxies = self.connections.proxies();
        proxies.into_iter().find(|tool| tool.spec().name().as_str() == name).unwrap()
    }
}

fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

fn context() -> Context {
    Context::new(CallId::new("call_1").unwrap())
}

/// Returns the text for the model, of a result or of an error.
async fn call(tool: &dyn Tool, payload: &Payload) -> (ResultStatus, String) {
    match tool.call(&context(), payload).await {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => (output.status, text.clone()),
            other => unreachable!("{other:?}"),
        },
        Err(ToolError::Model(text)) => (ResultStatus::Error, text.wire_text()),
        Err(other) => unreachable!("{other}"),
    }
}

#[track_caller]
fn check_effect(effects: &[Effect], name: &str) {
    let [Effect::Mcp { server, tool, fingerprint, known: false }] = effects else { panic!("{effects:?}") };
    assert_eq!((server.as_str(), tool.as_str()), ("tracker", name));
    assert!(!fingerprint.is_empty());
}

// H1
#[tokio::test]
async fn a_call_is_decided_and_run_as_the_tool_that_it_names() {
    let scene = Scene::start().await;
    let tool = scene.proxy("use_mcp_tool");
    let text = r#"{"server_name":"tracker","tool_name":"close","arguments":{"id": 12345678901234567890123}}"#;
    let arguments = Payload::Function { arguments: Arguments::parse(text).unwrap() };
    check_effect(&tool.effects(&arguments), "close");
    let close = scene.connections.tool("tracker", "close").unwrap();
    let inner = Payload::Function { arguments: Arguments::default() };
    assert_eq!(tool.effects(&arguments), close.effects(&inner));
    assert_eq!(tool.inspect(&arguments).changes[0].path, "mcp:tracker/close");
    let (status, told) = call(&*tool, &arguments).await;
    assert!(status == ResultStatus::Ok && told.contains("closed"), "{status:?} {told}");
    assert_eq!(scene.called.lock().unwrap().pop().unwrap(), r#"{"id": 12345678901234567890123}"#);
}

#[tokio::test]
async fn a_resource_is_read_through_the_servers_reader() {
    let scene = Scene::start().await;
    let tool = scene.proxy("access_mcp_resource");
    let arguments = json!({"server_name": "tracker", "uri": "issue://\"1\""});
    check_effect(&tool.effects(&payload(&arguments)), "resources/read");
    assert_eq!(call(&*tool, &payload(&arguments)).await.0, ResultStatus::Ok);
    assert_eq!(scene.called.lock().unwrap().pop().unwrap(), r#"{"uri":"issue://\"1\""}"#);
    let (status, text) = call(&*tool, &payload(&json!({"server_name": "clock", "uri": "a"}))).await;
    assert_eq!(status, ResultStatus::Error);
    assert_eq!(text, "the server `clock` has no resources; the servers with resources are: tracker");
}

#[tokio::test]
async fn unknown_names_and_unfit_arguments_are_refused_without_a_request() {
    let scene = Scene::start().await;
    let tool = scene.proxy("use_mcp_tool");
    for (arguments, said) in [
        (
            json!({"server_name": "x", "tool_name": "close"}),
            "unknown server `x`; the servers are: clock, tracker",
        ),
        (
            json!({"server_name": "tracker", "tool_name": "x"}),
            "the server tracker has no tool `x`; its tools are: close",
        ),
        (
            json!({"server_name": "clock", "tool_name": "x"}),
            "the server clock has no tool `x`; its tools are: none",
        ),
        (json!({"server_name": "tracker", "tool_name": "close", "arguments": [1]}), "Give an object."),
        (json!({"server": "tracker"}), "unknown field `server`"),
    ] {
        assert_eq!(tool.effects(&payload(&arguments)), [Effect::Unknown], "{arguments}");
        let (status, text) = call(&*tool, &payload(&arguments)).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
    }
    let unfit = payload(&json!({"server_name": "tracker", "tool_name": "close"}));
    let (status, text) = call(&*tool, &unfit).await;
    assert_eq!(status, ResultStatus::Error);
    assert!(
        text.starts_with("the arguments do not match the tool's schema, and nothing was sent:\n- "),
        "{text}"
    );
    assert!(scene.called.lock().unwrap().is_empty());
    let arguments = Arguments::default();
    let straight = Payload::Mcp { server: "tracker".into(), tool: "close".into(), arguments };
    assert_eq!(tool.effects(&straight), [Effect::Unknown]);
}

#[tokio::test]
async fn a_proxy_is_returned_only_for_what_a_server_has() {
    let none = McpConnections::start([], ConnectionOptions::default()).await.unwrap();
    assert!(none.proxies().is_empty());
    let server = McpServer::new("clock", "no program").unwrap();
    let clock = McpClient::with_connector(server, with_tools(json!([])), ClientOptions::default());
    let connections = McpConnections::start_clients([clock], ConnectionOptions::default()).await.unwrap();
    connections.wait_until_settled().await;
    let names: Vec<_> = connections.proxies().iter().map(|tool| tool.spec().name().to_string()).collect();
    assert_eq!(names, ["use_mcp_tool"]);
}
