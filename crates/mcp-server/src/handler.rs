//! The handler of a client's requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequest, Implementation, InputRequest, InputRequests,
    InputRequiredResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use windlass_protocol::{Arguments, CallId, ResultStatus, ToolCall, ToolName, ToolResult};
use windlass_tool::CancellationToken;

use crate::answer::answer;
use crate::caller::{Caller, Hears, PendingQuestion};
use crate::parked::{NotParked, ParkedCalls, QUESTION};
use crate::running::{Asking, Pause, Running};
use crate::served_tool::to_mcp_tool;
use crate::tool_host::ToolHost;

/// The name, version and instructions of the server.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) instructions: Option<String>,
}

/// The handler of one connection, or of one request over stateless HTTP. Clones share the parked calls.
#[derive(Clone)]
pub(crate) struct Handler {
    host: Arc<dyn ToolHost>,
    names: Arc<Names>,
    parked: ParkedCalls,
    count: Arc<AtomicU64>,
}

impl Handler {
    pub(crate) fn new(host: Arc<dyn ToolHost>, names: Names) -> Self {
        Self { host, names: Arc::new(names), parked: ParkedCalls::default(), count: Arc::default() }
    }

    fn begin(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Running, ErrorData> {
        let call = self.call_of(request)?;
        let stop = CancellationToken::new();
        let hears =
            Hears { progress: context.meta.get_progress_token().is_some(), questions: can_be_asked(context) };
        let (caller, line) = Caller::new(stop.clone(), hears);
        Ok(Running::new(Arc::clone(&self.host).call(call, caller), line, stop))
    }

    fn call_of(&self, request: &CallToolRequestParams) -> Result<ToolCall, ErrorData> {
        let is_served = self.host.tools().iter().any(|(spec, _)| spec.name().as_str() == request.name);
        let name = ToolName::new(request.name.as_ref()).ok().filter(|_| is_served);
        let Some(name) = name else { return Err(unknown(&request.name)) };
        let number = self.count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let id = CallId::new(format!("mcp_{number}")).map_err(|error| internal_error(&error))?;
        let text = request
            .arguments
            .as_ref()
            .map_or_else(|| "{}".to_owned(), |object| serde_json::json!(object).to_string());
        let arguments = Arguments::parse(text).map_err(|error| {
            ErrorData::invalid_params(format!("the arguments cannot be read: {error}"), None)
        })?;
        Ok(ToolCall::function(id, name, arguments))
    }

    /// Parks a call, and returns its question for a client that answers with its next request.
    fn question(
        &self,
        request: &CallToolRequestParams,
        running: Running,
        asked: PendingQuestion,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = asked.form.params().map_err(|error| internal_error(&error))?;
        let name = self.parked.keep(request, running, asked).map_err(|error| internal_error(&error))?;
        let question = InputRequest::Elicitation(ElicitRequest::new(params));
        let questions = InputRequests::from([(QUESTION.to_owned(), question)]);
        Ok(InputRequiredResult::new(Some(questions), Some(name)).into())
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let names = &self.names;
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(names.name.clone(), names.version.clone()));
        match &names.instructions {
            Some(words) => info.with_instructions(words.clone()),
            None => info,
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = self.host.tools();
        tools
            .iter()
            .find(|(spec, _)| spec.name().as_str() == name)
            .map(|(spec, hints)| to_mcp_tool(spec, *hints))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("the list of tools has one page", None));
        }
        let tools = self.host.tools().iter().map(|(spec, hints)| to_mcp_tool(spec, *hints)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut running = match &request.request_state {
            Some(name) => self.parked.take(&request, name).map_err(|error| late(&error))?,
            None => self.begin(&request, &context)?,
        };
        match running.drive(&context, asking(&context)).await {
            Pause::Done(result) => convert_result(&request.name, &result),
            Pause::Asks(asked) => self.question(&request, running, asked),
            Pause::Abandoned => {
                Err(ErrorData::internal_error("the call was stopped, and did not end in time", None))
            }
        }
    }
}

/// Converts a result. An unknown tool is a protocol error and not a result of a call.
fn convert_result(name: &str, result: &ToolResult) -> Result<CallToolResponse, ErrorData> {
    if result.status == ResultStatus::UnknownTool {
        return Err(unknown(name));
    }
    Ok(answer(result).into())
}

fn unknown(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown tool {name:?}; tools/list returns the known tools"), None)
}

fn late(error: &NotParked) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

fn internal_error(error: &dyn std::error::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Returns whether the client supports elicitation by forms. A client that names neither forms nor URLs
/// supports forms.
fn can_be_asked(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|all| all.elicitation);
    elicitation.is_some_and(|can| can.form.is_some() || can.url.is_none())
}

fn asking(context: &RequestContext<RoleServer>) -> Asking {
    let is_new = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    if is_new { Asking::Retry } else { Asking::Request }
}
