//! `use_mcp_tool` and `access_mcp_resource`: one tool for all tools of MCP servers, and one for their
//! resources.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;
use windlass_protocol::{Arguments, Effect, Hints, Payload, Risk, ToolSpec};
use windlass_schema::Checker;
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::spec::spec;

/// The maximum number of schema violations in one error message.
const MAX_VIOLATIONS: usize = 10;

/// The tools and resources of MCP servers, looked up by the servers' own names.
///
/// The result for a name has to stay the same within a turn (RULES M1), because policy judges the effects of
/// the same tool that then runs.
pub trait McpServers: Send + Sync {
    /// Returns the servers with their tools, sorted, for messages to the model.
    fn names(&self) -> Vec<(String, Vec<String>)>;

    /// Returns a tool of a server. Its effects are the MCP call with the tool's fingerprint.
    fn tool(&self, server: &str, tool: &str) -> Option<Arc<dyn Tool>>;

    /// Returns the tool that reads a server's resources and takes `{"uri": "…"}`, or `None` if the server has
    /// no resources.
    fn reader(&self, server: &str) -> Option<Arc<dyn Tool>>;
}

/// The tool `use_mcp_tool`, which calls a tool of an MCP server by the server's name for it. The call is
/// judged, shown and run as a call of that tool (RULES H1).
pub struct UseMcpTool {
    spec: ToolSpec,
    servers: Arc<dyn McpServers>,
}

/// The tool `access_mcp_resource`, which reads a resource of an MCP server.
pub struct AccessMcpResource {
    spec: ToolSpec,
    servers: Arc<dyn McpServers>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolArguments {
    server_name: String,
    tool_name: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResourceArguments {
    server_name: String,
    uri: String,
}

/// A call of the underlying tool.
struct Inner {
    tool: Arc<dyn Tool>,
    payload: Payload,
}

const TOOL_DESCRIPTION: &str = "Calls a tool of a connected MCP server. Read the tool's own description for its \
    arguments.";

const TOOL_SCHEMA: &str = r#"{"type":"object","properties":{
"server_name":{"type":"string","description":"The server."},
"tool_name":{"type":"string","description":"The tool, by the server's own name for it."},
"arguments":{"type":"object","description":"The tool's arguments."}
},"required":["server_name","tool_name"],"additionalProperties":false}"#;

const RESOURCE_DESCRIPTION: &str = "Reads a resource of a connected MCP server.";

const RESOURCE_SCHEMA: &str = r#"{"type":"object","properties":{
"server_name":{"type":"string","description":"The server."},
"uri":{"type":"string","description":"The resource's URI, as the server names it."}
},"required":["server_name","uri"],"additionalProperties":false}"#;

impl UseMcpTool {
    /// Creates the tool for the given servers. Do not offer it without a server.
    pub fn new(servers: Arc<dyn McpServers>) -> Self {
        Self { spec: spec("use_mcp_tool", TOOL_DESCRIPTION, TOOL_SCHEMA), servers }
    }

    fn inner(&self, payload: &Payload) -> Result<Inner, ToolError> {
        let wanted: ToolArguments = read_of(payload)?;
        let (server, name) = (&wanted.server_name, &wanted.tool_name);
        let tool = self.servers.tool(server, name).ok_or_else(|| unknown(&*self.servers, server, name))?;
        let text = wanted.arguments.as_ref().map_or("{}", |arguments| arguments.get());
        let arguments = Arguments::parse(text).map_err(|error| {
            ToolError::model(format!("`arguments` cannot be sent to {name}: {error}; give an object"))
        })?;
        Ok(Inner { tool, payload: Payload::Function { arguments } })
    }
}

impl AccessMcpResource {
    /// Creates the tool for the given servers. Do not offer it if no server has resources.
    pub fn new(servers: Arc<dyn McpServers>) -> Self {
        Self { spec: spec("access_mcp_resource", RESOURCE_DESCRIPTION, RESOURCE_SCHEMA), servers }
    }

    fn inner(&self, payload: &Payload) -> Result<Inner, ToolError> {
        let ResourceArguments { server_name, uri } = read_of(payload)?;
        let tool = self.servers.reader(&server_name).ok_or_else(|| {
            let has_resources = |server: &String| self.servers.reader(server).is_some();
            let names = self.servers.names().into_iter().map(|(server, _)| server).filter(has_resources);
            ToolError::model(format!(
                "there is no server `{server_name}` with resources; those that have some: {}",
                list_names(names)
            ))
        })?;
        let text = json!({ "uri": uri }).to_string();
        let arguments = Arguments::parse(text).map_err(|error| ToolError::model(error.to_string()))?;
        Ok(Inner { tool, payload: Payload::Function { arguments } })
    }
}

/// Parses the arguments of the outer call. Only a function call is accepted.
fn read_of<T: DeserializeOwned>(payload: &Payload) -> Result<T, ToolError> {
    match payload {
        Payload::Function { .. } => read_arguments(payload),
        _ => Err(ToolError::model("call this tool as a function")),
    }
}

impl Inner {
    /// Checks the arguments against the server's schema, so that a mistake is reported without a request to
    /// the server.
    fn check(&self) -> Result<(), ToolError> {
        let (spec, Payload::Function { arguments }) = (self.tool.spec(), &self.payload) else {
            return Ok(());
        };
        let ToolSpec::Function { parameters, .. } = spec else { return Ok(()) };
        // The server checks by itself if its schema cannot be compiled.
        let Ok(checker) = Checker::compile(parameters) else { return Ok(()) };
        let Err(violations) = checker.check(arguments) else { return Ok(()) };
        let told: Vec<_> = violations.iter().take(MAX_VIOLATIONS).map(|one| format!("\n- {one}")).collect();
        Err(ToolError::model(format!(
            "the arguments do not fit the server's tool, and nothing was sent:{}",
            told.concat()
        )))
    }
}

/// Returns an error that lists the known names.
fn unknown(servers: &dyn McpServers, server: &str, tool: &str) -> ToolError {
    let names = servers.names();
    match names.iter().find(|(known, _)| known == server) {
        Some((_, tools)) => ToolError::model(format!(
            "the server {server} has no tool `{tool}`; its tools are: {}",
            list_names(tools.iter().cloned())
        )),
        None => ToolError::model(format!(
            "there is no server `{server}`; the servers are: {}",
            list_names(names.into_iter().map(|(name, _)| name))
        )),
    }
}

fn list_names(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.take(100).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn hints() -> Hints {
    Hints { open_world: true, risk: Risk::High, ..Hints::default() }
}

/// Returns the effects of the underlying tool, or `Unknown` if the tool is not found.
fn effects(inner: Result<Inner, ToolError>) -> Vec<Effect> {
    inner.map_or_else(|_| vec![Effect::Unknown], |inner| inner.tool.effects(&inner.payload))
}

impl Tool for UseMcpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        hints()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        effects(self.inner(payload))
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        self.inner(payload).map_or_else(|_| Inspection::default(), |inner| inner.tool.inspect(&inner.payload))
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let inner = self.inner(payload)?;
            inner.check()?;
            inner.tool.call(ctx, &inner.payload).await
        })
    }
}

impl Tool for AccessMcpResource {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        hints()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        effects(self.inner(payload))
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        self.inner(payload).map_or_else(|_| Inspection::default(), |inner| inner.tool.inspect(&inner.payload))
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let inner = self.inner(payload)?;
            inner.tool.call(ctx, &inner.payload).await
        })
    }
}

impl fmt::Debug for UseMcpTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UseMcpTool").finish_non_exhaustive()
    }
}

impl fmt::Debug for AccessMcpResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessMcpResource").finish_non_exhaustive()
    }
}
