//! `use_mcp_tool` and `access_mcp_resource`: one tool for all tools of the servers, and one for their
//! resources.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;
use windlass_protocol::{Arguments, Effect, Hints, Payload, Risk, ToolName, ToolSpec};
use windlass_schema::Checker;
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use super::McpConnections;
use super::turn_tools::list_names;

/// The maximum number of schema violations in one error message.
const MAX_VIOLATIONS: usize = 10;

/// A tool that calls another tool: the one of a server that its arguments name. The call is decided, shown
/// and run as a call of that tool (RULES H1).
struct Proxy {
    target: Target,
    spec: ToolSpec,
    connections: McpConnections,
}

/// The kind of tool that a proxy calls.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// A tool of a server, by the server's name for it.
    Tool,
    /// The tool that reads a server's resources.
    Reader,
}

/// The target's call that a proxy's call is converted to.
struct TargetCall {
    tool: Arc<dyn Tool>,
    payload: Payload,
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

impl McpConnections {
    /// Returns the tool `use_mcp_tool`, which calls a tool by the names of its server and of the tool, and, if
    /// a server has resources, `access_mcp_resource`. Returns no tools without a server.
    ///
    /// Use them instead of [`tools`](Self::tools) where the list of tools must not change during a run.
    /// Policy decides about such a call as the call of the tool that it names.
    pub fn proxies(&self) -> Vec<Arc<dyn Tool>> {
        let mut proxies: Vec<Arc<dyn Tool>> = Vec::new();
        if self.clients().next().is_some() {
            let spec = spec("use_mcp_tool", TOOL_DESCRIPTION, TOOL_SCHEMA);
            proxies.push(Arc::new(Proxy { target: Target::Tool, spec, connections: self.clone() }));
        }
        if self.names().iter().any(|(server, _)| self.reader(server).is_some()) {
            let spec = spec("access_mcp_resource", RESOURCE_DESCRIPTION, RESOURCE_SCHEMA);
            proxies.push(Arc::new(Proxy { target: Target::Reader, spec, connections: self.clone() }));
        }
        proxies
    }
}

/// Builds a spec from a constant name and schema.
fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the name is a constant and a test reads it");
    ToolSpec::function(
        name,
        description,
        schema.parse().expect("the schema is a constant and a test reads it"),
    )
}

impl Proxy {
    /// Finds the target of a call and builds the payload for it.
    fn target_call(&self, payload: &Payload) -> Result<TargetCall, ToolError> {
        match self.target {
            Target::Tool => self.tool_call(payload),
            Target::Reader => self.reader_call(payload),
        }
    }

    fn tool_call(&self, payload: &Payload) -> Result<TargetCall, ToolError> {
        let wanted: ToolArguments = read_function(payload)?;
        let (server, name) = (&wanted.server_name, &wanted.tool_name);
        let tool = self.connections.tool(server, name).ok_or_else(|| self.unknown_tool(server, name))?;
        let text = wanted.arguments.as_ref().map_or("{}", |arguments| arguments.get());
        let arguments = Arguments::parse(text).map_err(|error| {
            ToolError::model(format!("`arguments` cannot be sent to {name}: {error}"))
                .with_advice("Give an object.")
        })?;
        Ok(TargetCall { tool, payload: Payload::Function { arguments } })
    }

    fn reader_call(&self, payload: &Payload) -> Result<TargetCall, ToolError> {
        let ResourceArguments { server_name, uri } = read_function(payload)?;
        let tool = self.connections.reader(&server_name).ok_or_else(|| {
            let mut names = self.connections.names();
            names.retain(|(server, _)| self.connections.reader(server).is_some());
            ToolError::model(format!(
                "the server `{server_name}` has no resources; the servers with resources are: {}",
                list_names(names.iter().map(|(server, _)| server))
            ))
        })?;
        let text = json!({ "uri": uri }).to_string();
        let arguments = Arguments::parse(text).map_err(|error| ToolError::model(error.to_string()))?;
        Ok(TargetCall { tool, payload: Payload::Function { arguments } })
    }

    /// Returns an error that lists the names that the model can use.
    fn unknown_tool(&self, server: &str, tool: &str) -> ToolError {
        let names = self.connections.names();
        if let Some((_, tools)) = names.iter().find(|(known, _)| known == server) {
            let tools = list_names(tools.iter());
            return ToolError::model(format!(
                "the server {server} has no tool `{tool}`; its tools are: {tools}"
            ));
        }
        let servers = list_names(names.iter().map(|(name, _)| name));
        ToolError::model(format!("unknown server `{server}`; the servers are: {servers}"))
    }
}

/// Parses the arguments of a proxy's call. Only a function call is accepted.
fn read_function<T: DeserializeOwned>(payload: &Payload) -> Result<T, ToolError> {
    match payload {
        Payload::Function { .. } => read_arguments(payload),
        _ => {
            Err(ToolError::model("the call is not a function call")
                .with_advice("Call this tool as a function."))
        }
    }
}

impl TargetCall {
    /// Checks the arguments against the target's schema, so that a mistake is reported without a request to
    /// the server.
    fn check(&self) -> Result<(), ToolError> {
        let (spec, Payload::Function { arguments }) = (self.tool.spec(), &self.payload) else {
            return Ok(());
        };
        let ToolSpec::Function { parameters, .. } = spec else { return Ok(()) };
        // The server checks by itself if its schema cannot be compiled.
        let Ok(checker) = Checker::compile(parameters) else { return Ok(()) };
        let Err(violations) = checker.check(arguments) else { return Ok(()) };
        let lines: Vec<_> = violations.iter().take(MAX_VIOLATIONS).map(|one| format!("\n- {one}")).collect();
        Err(ToolError::model(format!(
            "the arguments do not match the tool's schema, and nothing was sent:{}",
            lines.concat()
        )))
    }
}

impl Tool for Proxy {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: Risk::High, ..Hints::default() }
    }

    /// Returns the effects of the target, or `Unknown` if it is not found.
    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let call = self.target_call(payload);
        call.map_or_else(|_| vec![Effect::Unknown], |call| call.tool.effects(&call.payload))
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let call = self.target_call(payload);
        call.map_or_else(|_| Inspection::default(), |call| call.tool.inspect(&call.payload))
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let call = self.target_call(payload)?;
            call.check()?;
            call.tool.call(ctx, &call.payload).await
        })
    }
}
