//! A tool of a server as a tool here.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use similar::TextDiff;
use windlass_hitl::display_safe;
use windlass_protocol::{Change, Effect, Hints, Payload, ResultStatus, ToolSpec};
use windlass_tool::{Context, Inspection, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::Identity;

use crate::client::Used;
use crate::failure::Failure;
use crate::{Definition, outcome};

/// How long a difference of two definitions is looked for.
const DIFF_TIME: Duration = Duration::from_millis(500);

/// A tool of a server, pinned to the definition that a model was shown and a human accepts.
pub(crate) struct McpTool {
    used: Arc<Used>,
    definition: Arc<Definition>,
    spec: ToolSpec,
}

impl McpTool {
    pub(crate) fn new(used: Arc<Used>, definition: Arc<Definition>, identity: &Identity) -> Self {
        let spec = ToolSpec::function(
            identity.name().clone(),
            // What nobody can see speaks to no model either.
            display_safe(&definition.description),
            definition.input_schema.clone(),
        );
        Self { used, definition, spec }
    }

    fn is_known(&self) -> bool {
        self.used.accepted.read().unwrap_or_else(PoisonError::into_inner).is_known(&self.definition)
    }

    /// What is new about the tool since a human accepted it: all of it, if she never did. It is raw, as the changes of
    /// files are: the question escapes it once, so that no escape in it can be taken for the server's own letters.
    fn news(&self) -> Change {
        let accepted = self.used.accepted.read().unwrap_or_else(PoisonError::into_inner);
        let path = format!("mcp:{}/{}", self.definition.server, self.definition.name);
        let before = accepted.text_before(&self.definition).unwrap_or_default();
        let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, &self.definition.text);
        let headers = if before.is_empty() { ("/dev/null", "first use") } else { ("accepted", "now") };
        let mut diff = diff.unified_diff().context_radius(1).header(headers.0, headers.1).to_string();
        if accepted.is_of_another_program(&self.definition) {
            diff.insert_str(0, "# the server of this name was another program when its tool was accepted\n");
        }
        Change::new(path, diff)
    }

    /// The arguments as the model wrote them, if the call is meant for this tool.
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

    async fn run(&self, ctx: &Context, payload: &Payload) -> Result<Output, ToolError> {
        let params = params(&self.definition.name, self.arguments(payload)?)?;
        let (name, server) = (&self.definition.name, &self.definition.server);
        let ready = tokio::select! {
            biased;
            () = ctx.cancellation().cancelled() => {
                return Err(ToolError::model("the call was stopped before it began; nothing was sent"));
            }
            ready = self.used.ready() => ready,
        };
        let connection = ready.map_err(|error| {
            ToolError::model(format!("{name} was not called: {error}. Go on without it, or try again later."))
        })?;
        // Looked up after the list is up to date: no call runs under a definition that is no more (fault F67).
        let catalogue = self.used.catalogue();
        match catalogue.tools.get(name) {
            Some(now) if now.fingerprint == self.definition.fingerprint => {}
            Some(_) => {
                return Err(ToolError::model(format!(
                    "{name} was not called: the server {server} has changed it, and what was agreed to is the old \
                     one. Nothing was sent. Go on without it."
                )));
            }
            None => {
                return Err(ToolError::model(format!(
                    "{name} was not called: the server {server} does not offer it any more. Go on without it."
                )));
            }
        }
        let limits = self.used.server.limits();
        match connection.request("tools/call", &params, limits.call, ctx.cancellation()).await {
            Ok(result) => {
                self.used.is_well();
                Ok(outcome::read(&result, server, limits))
            }
            Err(failure) => Ok(self.failed(failure)),
        }
    }

    fn failed(&self, failure: Failure) -> Output {
        let (name, server) = (&self.definition.name, &self.definition.server);
        let (status, text) = match failure {
            Failure::Server(error) => {
                self.used.is_well();
                let said = format!("error {}: {}", error.code, display_safe(&error.message));
                (ResultStatus::Error, outcome::enclosed(&said, server))
            }
            Failure::TooLong { bytes, head } => (
                ResultStatus::Error,
                format!(
                    "{name} ran, and the server's answer has {bytes} bytes: it is over the limit of {} and was not \
                     kept. Ask for less. It begins so:\n{}",
                    self.used.server.limits().frame_bytes,
                    outcome::enclosed(&head, server)
                ),
            ),
            Failure::NotSent => {
                (ResultStatus::NotStarted, format!("the server {server} ended before {name} was called"))
            }
            Failure::Gone => (
                ResultStatus::EffectsUnknown,
                format!(
                    "the server {server} ended while {name} ran. It may have run or not, and it is not called again by \
                     itself: look at what it did before calling it once more."
                ),
            ),
            Failure::TimedOut(limit) => (
                ResultStatus::TimedOut,
                format!(
                    "{name} did not answer in {} ms (limit `call`). The server {server} was told to stop; what it had \
                     done stays.",
                    limit.as_millis()
                ),
            ),
            Failure::Cancelled => (
                ResultStatus::Cancelled,
                format!("{name} was stopped. The server {server} was told; what it had done stays."),
            ),
        };
        Output::text(text).with_status(status)
    }
}

impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        // A server's word never makes a call look safer; without a word it is taken to destroy and to reach out.
        Hints { open_world: true, risk: self.definition.risk, ..Hints::default() }
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
        if self.is_known() { Inspection::default() } else { Inspection::default().with_change(self.news()) }
    }

    /// Dropping the future tells the server to stop.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(self.run(ctx, payload))
    }
}

fn params(name: &str, arguments: &str) -> Result<Box<RawValue>, ToolError> {
    let name = Value::from(name);
    let text = format!("{{\"name\":{name},\"arguments\":{arguments}}}");
    RawValue::from_string(text).map_err(|_| ToolError::model("the arguments are no JSON; nothing was sent"))
}
