//! Tools and resources of MCP servers behind one name.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass_protocol::{Arguments, Change, Effect, Hints, Payload, ResultStatus, ToolName, ToolSpec};
use windlass_tool::{Context, Inspection, Output, Tool, ToolFuture};
use windlass_tools_control::{AccessMcpResource, McpServers, UseMcpTool};

use crate::calling::{call, payload};

const SCHEMA: &str = r#"{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}"#;
const ANY: &str = r#"{"type":"object"}"#;

/// A tool of a server, which keeps what it was called with.
struct Remote {
    spec: ToolSpec,
    called: Mutex<Vec<String>>,
}

impl Remote {
    fn new(name: &str, schema: &str) -> Arc<Self> {
        let spec = ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema.parse().unwrap());
        Arc::new(Self { spec, called: Mutex::default() })
    }
}

fn mcp(tool: &str) -> Effect {
    Effect::Mcp { server: "tracker".into(), tool: tool.into(), fingerprint: "f1".into(), known: false }
}

impl Tool for Remote {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![mcp(self.spec.name().as_str())]
    }

    fn inspect(&self, _: &Payload) -> Inspection {
        Inspection::default().with_change(Change::new("mcp:tracker/close", "new"))
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        let Payload::Function { arguments } = payload else { unreachable!() };
        self.called.lock().unwrap().push(arguments.as_str().to_owned());
        Box::pin(async { Ok(Output::text("closed")) })
    }
}

struct Servers {
    close: Arc<Remote>,
    read: Arc<Remote>,
}

impl McpServers for Servers {
    fn names(&self) -> Vec<(String, Vec<String>)> {
        vec![("clock".into(), vec![]), ("tracker".into(), vec!["close".into()])]
    }

    fn tool(&self, server: &str, tool: &str) -> Option<Arc<dyn Tool>> {
        ((server, tool) == ("tracker", "close")).then(|| self.close.clone() as Arc<dyn Tool>)
    }

    fn reader(&self, server: &str) -> Option<Arc<dyn Tool>> {
        (server == "tracker").then(|| self.read.clone() as Arc<dyn Tool>)
    }
}

fn servers() -> Arc<Servers> {
    Arc::new(Servers { close: Remote::new("close", SCHEMA), read: Remote::new("resources/read", ANY) })
}

// H1
#[tokio::test]
async fn a_call_is_judged_and_run_as_the_tool_that_it_means() {
    let servers = servers();
    let tool = UseMcpTool::new(servers.clone());
    let text = r#"{"server_name":"tracker","tool_name":"close","arguments":{"id": 12345678901234567890123}}"#;
    let arguments = Payload::Function { arguments: Arguments::parse(text).unwrap() };
    assert_eq!(tool.effects(&arguments), [mcp("close")]);
    assert_eq!(tool.inspect(&arguments).changes[0].path, "mcp:tracker/close");
    let (status, told) = call(&tool, &text.parse().unwrap()).await;
    assert_eq!((status, told.as_str()), (ResultStatus::Ok, "closed"));
    let ctx = crate::calling::context();
    tool.call(&ctx, &arguments).await.unwrap();
    assert_eq!(servers.close.called.lock().unwrap().pop().unwrap(), r#"{"id": 12345678901234567890123}"#);
}

#[tokio::test]
async fn a_resource_is_read_through_the_servers_reader() {
    let servers = servers();
    let tool = AccessMcpResource::new(servers.clone());
    let arguments = json!({"server_name": "tracker", "uri": "issue://\"1\""});
    assert_eq!(tool.effects(&payload(&arguments)), [mcp("resources/read")]);
    assert_eq!(call(&tool, &arguments).await.0, ResultStatus::Ok);
    assert_eq!(servers.read.called.lock().unwrap().pop().unwrap(), r#"{"uri":"issue://\"1\""}"#);
    let (status, text) = call(&tool, &json!({"server_name": "clock", "uri": "a"})).await;
    assert_eq!(status, ResultStatus::Error);
    assert_eq!(text, "there is no server `clock` with resources; those that have some: tracker");
}

#[track_caller]
fn is_unknown(tool: &UseMcpTool, arguments: &Value) {
    assert_eq!(tool.effects(&payload(arguments)), [Effect::Unknown], "{arguments}");
}

#[tokio::test]
async fn what_is_not_there_is_refused_here_and_says_what_is() {
    let servers = servers();
    let tool = UseMcpTool::new(servers.clone());
    for (arguments, said) in [
        (
            json!({"server_name": "x", "tool_name": "close"}),
            "there is no server `x`; the servers are: clock, tracker",
        ),
        (
            json!({"server_name": "tracker", "tool_name": "x"}),
            "the server tracker has no tool `x`; its tools are: close",
        ),
        (
            json!({"server_name": "clock", "tool_name": "x"}),
            "the server clock has no tool `x`; its tools are: none",
        ),
        (json!({"server_name": "tracker", "tool_name": "close", "arguments": [1]}), "give an object"),
        (json!({"server": "tracker"}), "unknown field `server`"),
    ] {
        is_unknown(&tool, &arguments);
        let (status, text) = call(&tool, &arguments).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
    }
    let (status, text) = call(&tool, &json!({"server_name": "tracker", "tool_name": "close"})).await;
    assert_eq!(status, ResultStatus::Error);
    assert!(
        text.starts_with("the arguments do not fit the server's tool, and nothing was sent:\n- "),
        "{text}"
    );
    assert!(servers.close.called.lock().unwrap().is_empty());
    let arguments = Arguments::default();
    let straight = Payload::Mcp { server: "tracker".into(), tool: "close".into(), arguments };
    assert_eq!(tool.effects(&straight), [Effect::Unknown]);
}
