//! `OperationTool`: an operation as a `Tool`.

use std::sync::Arc;

use windlass_protocol::{Concurrency, Effect, ErrorText, Hints, Payload, ResultStatus, ToolSpec};
use windlass_redact::Redactor;
use windlass_tool::{Change, Context, Inspection, Output, Tool, ToolError, ToolFuture};
use windlass_web_reach::{ReachError, SendError};

use crate::client::HttpClient;
use crate::credentials::Keyring;
use crate::operation::Operation;
use crate::plan::PlannedRequest;
use crate::report;

/// An operation as a tool.
#[derive(Debug)]
pub(crate) struct OperationTool {
    pub(crate) operation: Operation,
    pub(crate) client: Arc<HttpClient>,
    pub(crate) keyring: Arc<Keyring>,
}

impl OperationTool {
    /// Makes the request of a call. It sends nothing.
    fn request(&self, payload: &Payload) -> Result<PlannedRequest, ErrorText> {
        match payload {
            Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
                self.operation.plan.request(arguments.as_object()).map_err(ErrorText::new)
            }
            _ => Err(ErrorText::new("this tool takes JSON arguments").with_advice("Call it as a function.")),
        }
    }

    async fn run(&self, ctx: &Context, payload: &Payload) -> Result<Output, ToolError> {
        let unsent = |error: ErrorText| {
            ToolError::model(error.map_problem(|problem| format!("{problem}; nothing was sent")))
        };
        let request = self.request(payload).map_err(unsent)?;
        if ctx.redactor().contains_secret_in_json(&payload.text())
            || ctx.redactor().contains_secret(request.url.as_str())
        {
            return Err(unsent("the arguments hold a secret that is known here".into()));
        }
        let authorization = self
            .keyring
            .authorize(&self.operation.schemes)
            .map_err(|problem| unsent(ErrorText::new(problem).with_advice("Tell the human.")))?;
        let (method, url) = (request.method, request.url.clone());
        let own = Redactor::new(authorization.secrets.iter().cloned());
        let answer = self.client.send(request, &authorization).await;
        let answer = answer.map_err(|error| to_tool_error(&error, method.is_safe(), &own))?;
        let redactors = [&own, ctx.redactor()];
        let text = report::report(method, &url, &answer, &self.client.limits, &redactors);
        let output = Output::from(text).external();
        Ok(if report::is_error(answer.status) { output.with_status(ResultStatus::Error) } else { output })
    }
}

/// Returns an error for the model, with advice.
fn to_tool_error(error: &SendError, is_safe: bool, redactor: &Redactor) -> ToolError {
    let text = ToolError::describe(error).to_string();
    let text = redactor.redact(&text);
    let text = text.into_owned();
    let unsent = || format!("{text}; nothing was sent");
    let (problem, advice) = match error {
        SendError::Refused(refusal) if refusal.is_rule() => {
            (text, "Tell the human: the program must allow this address.")
        }
        SendError::Refused(ReachError::Unresolved { .. } | ReachError::Unreachable { .. })
        | SendError::ConnectTimedOut { .. } => (unsent(), "Try again later, or continue without it."),
        SendError::Encryption { .. } => (unsent(), "Tell the human."),
        _ if is_safe => (text, "Try again later, or continue without it."),
        _ => (
            format!("{text}; it is not known whether the request took effect"),
            "Check that before you repeat the call.",
        ),
    };
    ToolError::model(problem).with_advice(advice)
}

impl Tool for OperationTool {
    fn spec(&self) -> &ToolSpec {
        &self.operation.spec
    }

    fn hints(&self) -> Hints {
        let method = self.operation.plan.method;
        let is_safe = method.is_safe();
        Hints {
            read_only: is_safe,
            idempotent: method.is_idempotent(),
            open_world: true,
            concurrency: if is_safe { Concurrency::Parallel } else { Concurrency::Exclusive },
            risk: method.risk(),
            ..Hints::default()
        }
    }

    /// Returns the connection, and for a method that writes a custom effect `http.METHOD` on the URL.
    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let Ok(request) = self.request(payload) else { return vec![Effect::Unknown] };
        let url = &request.url;
        let mut effects = vec![Effect::Connect { host: url.host().to_owned(), port: url.port() }];
        if !request.method.is_safe() {
            effects.push(Effect::custom(format!("http.{}", request.method.key()), url.as_str()));
        }
        effects
    }

    /// Returns the body of a request that writes as a change of its URL, and the operation as the kind of the call: a
    /// session's approval of one operation is not valid for another one of the same host.
    fn inspect(&self, payload: &Payload) -> Inspection {
        let kind = Inspection::default().with_call_kind(self.operation.kind.as_str());
        match self.request(payload) {
            Ok(request) if !request.body.is_empty() => {
                let place = format!("{} {}", request.method, request.url);
                kind.with_change(Change::new(place, self.body_lines(payload, &request)))
            }
            _ => kind,
        }
    }

    /// Dropping the future closes the connection.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let stopped = ctx.cancellation().run_until_cancelled(self.run(ctx, payload)).await;
            let is_safe = self.operation.plan.method.is_safe();
            stopped.unwrap_or_else(|| {
                Err(ToolError::model(if is_safe {
                    "the request was stopped before its end"
                } else {
                    "the request was stopped before its end, and it is not known whether it took effect"
                }))
            })
        })
    }
}

impl OperationTool {
    /// Returns the body as the added lines of a diff: JSON with indentation, a form as it is sent.
    fn body_lines(&self, payload: &Payload, request: &PlannedRequest) -> String {
        let argument = self.operation.plan.body.as_ref().map(|body| body.argument.as_str());
        let value = match payload {
            Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
                argument.and_then(|argument| arguments.as_object().get(argument))
            }
            _ => None,
        };
        let is_json = request.media.as_deref().is_some_and(crate::body::is_json);
        let pretty = value.filter(|_| is_json).and_then(|value| serde_json::to_string_pretty(value).ok());
        let text = pretty.unwrap_or_else(|| String::from_utf8_lossy(&request.body).into_owned());
        text.lines().flat_map(|line| ["+", line, "\n"]).collect()
    }
}
