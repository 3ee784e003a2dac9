//! A server's tool as a `Tool`.

use std::sync::{Arc, PoisonError};

use rmcp::model::{CallToolRequest, CallToolRequestParams};
use serde_json::value::RawValue;
use windlass_hitl::display_safe;
use windlass_protocol::{Effect, Hints, Payload, Risk, ToolSpec};
use windlass_tool::{Context, Inspection, Output, Progress, Tool, ToolError, ToolFuture};
use windlass_toolbox::Identity;

use super::client_inner::ClientInner;
use super::connection::Wait;
use super::param_headers::ParamHeaders;
use super::rounds::RoundInput;
use super::{failed, news};
use crate::failure::Failure;
use crate::transport::ledger::CallBody;
use crate::{Approval, Definition, outcome};

/// A server's tool, pinned to the definition that the model read and a human accepts.
pub(crate) struct McpTool {
    client: Arc<ClientInner>,
    definition: Arc<Definition>,
    spec: ToolSpec,
}

impl McpTool {
    pub(crate) fn new(client: Arc<ClientInner>, definition: Arc<Definition>, identity: &Identity) -> Self {
        let spec = ToolSpec::function(
            identity.name().clone(),
            // Escaping makes invisible characters visible, so that they cannot hide instructions to the
            // model.
            display_safe(&definition.description),
            definition.input_schema.clone(),
        );
        Self { client, definition, spec }
    }

    fn is_known(&self) -> bool {
        self.client.accepted.read().unwrap_or_else(PoisonError::into_inner).is_known(&self.definition)
    }

    /// Returns the arguments as the model wrote them, or an error if the call addresses another tool.
    fn arguments<'a>(&self, payload: &'a Payload) -> Result<&'a str, ToolError> {
        match payload {
            Payload::Function { arguments } => Ok(arguments.as_str()),
            Payload::Mcp { server, tool, arguments }
                if *server == self.definition.server && *tool == self.definition.name =>
            {
                Ok(arguments.as_str())
            }
            _ => Err(ToolError::model("the call is not for this tool; nothing was sent")),
        }
    }

    /// Checks that the tool is enabled and still has this definition. Call it after the list was updated, so
    /// that no call runs under an outdated definition (fault F67).
    fn is_still_so(&self) -> Result<(), ToolError> {
        let (name, server) = (&self.definition.name, &self.definition.server);
        if !self.client.server.enables(name) {
            return Err(ToolError::model(format!(
                "{name} of the server {server} is switched off; nothing was sent"
            )));
        }
        let catalogue = self.client.catalogue();
        match catalogue.tools.get(name) {
            Some(now) if now.fingerprint == self.definition.fingerprint => Ok(()),
            Some(_) => Err(ToolError::model(format!(
                "{name} was not called: the server {server} has changed its definition since it was \
                 accepted. Nothing was sent."
            ))
            .with_advice("Continue without it.")),
            None => Err(ToolError::model(format!(
                "{name} was not called: the server {server} does not offer it any more."
            ))
            .with_advice("Continue without it.")),
        }
    }

    async fn run(&self, ctx: &Context, payload: &Payload) -> Result<Output, ToolError> {
        let arguments = RawValue::from_string(self.arguments(payload)?.to_owned())
            .map_err(|_| ToolError::model("the arguments are not JSON; nothing was sent"))?;
        let (name, server) = (&self.definition.name, &self.definition.server);
        let ready = tokio::select! {
            biased;
            () = ctx.cancellation().cancelled() => {
                return Err(ToolError::model("the call was cancelled before it started; nothing was sent"));
            }
            ready = self.client.ready() => ready,
        };
        let connection = ready.map_err(|error| {
            ToolError::model(format!("{name} was not called: {error}."))
                .with_advice("Continue without it, or try again later.")
        })?;
        self.is_still_so()?;
        let headers = if connection.ledger().is_stateless() {
            let headers = ParamHeaders::read(self.definition.input_schema.as_str());
            let filled = headers.and_then(|headers| headers.fill(&arguments));
            filled
                .map_err(|why| ToolError::model(format!("{name} was not called: {why}; nothing was sent")))?
        } else {
            Vec::new()
        };
        let body = CallBody { arguments: Some(arguments), headers };
        let limits = self.client.server.limits();
        let told = |word| ctx.tell(Progress::Note(word));
        let wait = Wait { limit: limits.call, stop: ctx.cancellation(), told: &told };
        let build = |input: RoundInput| {
            let mut params = CallToolRequestParams::new(name.clone());
            (params.input_responses, params.request_state) = (input.responses, input.state);
            CallToolRequest::new(params).into()
        };
        let reply = connection.request_in_rounds(build, &body, wait).await;
        if matches!(reply, Ok(_) | Err(Failure::Server(_) | Failure::Refused(_) | Failure::Fault(_))) {
            self.client.is_well();
        }
        match reply {
            Ok(result) => Ok(outcome::read(&result, server, limits)),
            Err(failure) => {
                self.client.note(&failure);
                Ok(failed::output(&self.definition, limits, failure))
            }
        }
    }
}

impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        // Annotations of a server never lower the risk. A tool without them counts as open-world and risky.
        let asks_always = self.client.server.approval(&self.definition.name) == Approval::Always;
        let risk = if asks_always { Risk::Critical } else { self.definition.risk };
        Hints { open_world: true, risk, ..Hints::default() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Mcp {
            server: self.definition.server.clone(),
            tool: self.definition.name.clone(),
            fingerprint: self.definition.fingerprint.clone(),
            known: self.is_known(),
        }]
    }

    fn inspect(&self, _: &Payload) -> Inspection {
        if self.is_known() {
            Inspection::default()
        } else {
            Inspection::default().with_change(news::diff_definition(&self.client.accepted, &self.definition))
        }
    }

    /// Dropping the future sends `notifications/cancelled` to the server.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(self.run(ctx, payload))
    }
}
