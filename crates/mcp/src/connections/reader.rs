//! A tool that reads a server's resources.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
use windlass_tool::{Context, Inspection, Output, Tool, ToolError, ToolFuture};

use crate::client::news;
use crate::{Definition, McpClient, outcome};

const SCHEMA: &str = r#"{"type":"object","properties":{"uri":{"type":"string","description":"The resource's address, as the server has it."}},"required":["uri"],"additionalProperties":false}"#;

/// A tool that reads the resources of one server.
pub(crate) struct ResourceReader {
    client: McpClient,
    definition: Arc<Definition>,
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadRequest {
    uri: String,
}

impl ResourceReader {
    pub(crate) fn new(client: McpClient) -> Self {
        let definition = Arc::new(client.reading());
        let name = ToolName::new("read_mcp_resource").expect("it is a name");
        let schema = SCHEMA.parse().expect("it is JSON");
        let words = format!("Reads a resource of the MCP server {}.", client.id());
        Self { spec: ToolSpec::function(name, words, schema), client, definition }
    }

    async fn read(&self, ctx: &Context, payload: &Payload) -> Result<Output, ToolError> {
        let Payload::Function { arguments } = payload else {
            return Err(refuse_uri("it is not a function call"));
        };
        let ReadRequest { uri } = serde_json::from_str(arguments.as_str()).map_err(refuse_uri)?;
        let server = self.client.id();
        let read = tokio::select! {
            read = self.client.read_resource(&uri) => read,
            () = ctx.cancellation().cancelled() => {
                return Err(ToolError::model("the read was cancelled"));
            }
        };
        let parts = read.map_err(|error| {
            ToolError::model(error.to_string()).with_advice("List the resources, or continue without it.")
        })?;
        Ok(outcome::parts(parts, server, self.client.server().limits()))
    }
}

impl Tool for ResourceReader {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: self.definition.risk, ..Hints::default() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Mcp {
            server: self.definition.server.clone(),
            tool: self.definition.name.clone(),
            fingerprint: self.definition.fingerprint.clone(),
            known: self.client.knows(&self.definition),
        }]
    }

    fn inspect(&self, _: &Payload) -> Inspection {
        if self.client.knows(&self.definition) {
            Inspection::default()
        } else {
            Inspection::default()
                .with_change(news::diff_definition(self.client.acceptance(), &self.definition))
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(self.read(ctx, payload))
    }
}

/// Returns the error of arguments that are not a request for a resource.
fn refuse_uri(problem: impl fmt::Display) -> ToolError {
    ToolError::model(format!("the call has no URI, and nothing was sent: {problem}"))
        .with_advice("Give an object with a `uri`.")
}
