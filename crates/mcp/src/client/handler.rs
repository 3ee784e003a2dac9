//! The client's handler for requests and notifications of a server.
#![expect(
    deprecated,
    reason = "roots, sampling and logging leave MCP with 2026-07-28; the servers of today have them"
)]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, CustomRequest,
    CustomResult, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode, ErrorData,
    FormElicitationCapability, Implementation, ListRootsResult, LoggingMessageNotificationParam,
    ProtocolVersion, Root, RootsCapabilities, SamplingCapability, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Value, json};

use super::ask::HumanRequests;
use super::log::Log;
use super::sampling::Samples;
use super::trace::{TraceSource, is_trace_parent};
use crate::transport::ledger::Ledger;

/// The client's side of a connection.
#[derive(Clone)]
pub(crate) struct Handler {
    asks: HumanRequests,
    samples: Samples,
    ledger: Arc<Ledger>,
    roots: Arc<[String]>,
    log: Log,
    trace: Option<TraceSource>,
}

impl Handler {
    pub(crate) fn new(
        (asks, samples): (HumanRequests, Samples),
        ledger: Arc<Ledger>,
        roots: Arc<[String]>,
        log: Log,
    ) -> Self {
        Self { asks, samples, ledger, roots, log, trace: None }
    }

    /// Sets the source of the trace of the application's requests.
    pub(crate) fn with_trace(mut self, trace: Option<TraceSource>) -> Self {
        self.trace = trace;
        self
    }

    /// Returns the `traceparent` of the current request, if the application has a valid one.
    pub(crate) fn trace_parent(&self) -> Option<String> {
        self.trace.as_ref().and_then(|trace| trace()).filter(|trace| is_trace_parent(trace))
    }

    /// Answers a question of a result that requires input. Returns `None` for a kind of question that the
    /// application does not allow.
    pub(crate) async fn answer_input(&self, method: &str, params: Value) -> Option<Value> {
        match method {
            "elicitation/create" => Some(self.asks.begin(params)?.answer().await),
            "sampling/createMessage" => self.samples.answer(self.asks.server(), params).await,
            "roots/list" if !self.roots.is_empty() => {
                let roots: Vec<Value> = self.roots.iter().map(|uri| json!({ "uri": uri })).collect();
                Some(json!({ "roots": roots }))
            }
            _ => None,
        }
    }

    pub(crate) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Returns whether the server waits for an answer of the human or of a model. This time does not count
    /// against a call's timeout (RULES M2).
    pub(crate) fn is_asking(&self) -> bool {
        self.asks.is_asking() || self.samples.is_asking()
    }

    fn refuse(&self) -> ErrorData {
        self.ledger.lock_skip_counts().refused += 1;
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this client does not support this request", None)
    }

    async fn ask(&self, params: Option<Value>) -> Result<Value, ErrorData> {
        match self.asks.begin(params.unwrap_or_default()) {
            Some(asking) => Ok(asking.answer().await),
            None => Err(self.refuse()),
        }
    }
}

impl ClientHandler for Handler {
    /// Announces sampling, elicitation and roots only if the application allows them.
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.asks.are_allowed() {
            let form = FormElicitationCapability::new();
            let url = UrlElicitationCapability::default();
            capabilities.elicitation = Some(ElicitationCapability::new().with_form(form).with_url(url));
        }
        if self.samples.are_allowed() {
            capabilities.sampling = Some(SamplingCapability::default());
        }
        if !self.roots.is_empty() {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        let windlass = Implementation::new("windlass", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, windlass)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        ctx: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let params = serde_json::to_value(request).unwrap_or_default();
        let answer = tokio::select! {
            answer = self.samples.answer(self.asks.server(), params) => answer,
            () = ctx.ct.cancelled() => None,
        };
        let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
        answer.ok_or_else(|| self.refuse())
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        if self.roots.is_empty() {
            return Err(self.refuse());
        }
        Ok(ListRootsResult::new(self.roots.iter().map(Root::new).collect()))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        ctx: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = serde_json::to_value(request).ok();
        let answer = tokio::select! {
            answer = self.ask(params) => answer?,
            () = ctx.ct.cancelled() => return Err(self.refuse()),
        };
        serde_json::from_value(answer).map_err(|_| self.refuse())
    }

    /// Handles requests that the engine cannot parse. An elicitation with a schema that it does not know is
    /// one of them.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        ctx: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "elicitation/create" {
            return Err(self.refuse());
        }
        tokio::select! {
            answer = self.ask(request.params) => answer.map(CustomResult::new),
            () = ctx.ct.cancelled() => Err(self.refuse()),
        }
    }

    async fn on_logging_message(
        &self,
        said: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.log.push(&said);
    }
}
