//! The handler of a client's requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequest, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, InputRequest, InputRequests, InputRequiredResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    PromptsCapability, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourcesCapability, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use windlass_protocol::{Arguments, CallId, ResultStatus, ToolCall, ToolName, ToolResult};
use windlass_tool::CancellationToken;

use crate::answer::answer;
use crate::caller::{Caller, Hears, PendingQuestion};
use crate::parked::{NotParked, ParkedCalls, QUESTION};
use crate::running::{Asking, Pause, Running};
use crate::served_tool::to_mcp_tool;
use crate::tool_host::ToolHost;
use crate::{
    HostError, Prompt, PromptHost, PromptMessage, Resource, ResourceContents, ResourceHost, ResourceTemplate,
};

/// Maximum length of a resource's URI in a request, in bytes.
const URI_BYTES: usize = 8 * 1024;

/// The name, version and instructions of the server.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) instructions: Option<String>,
}

/// The providers of tools, resources and prompts.
#[derive(Clone)]
pub(crate) struct Hosts {
    pub(crate) tools: Arc<dyn ToolHost>,
    pub(crate) resources: Option<Arc<dyn ResourceHost>>,
    pub(crate) prompts: Option<Arc<dyn PromptHost>>,
}

/// The handler of one connection, or of one request over stateless HTTP. Clones share the parked calls.
#[derive(Clone)]
pub(crate) struct Handler {
    hosts: Hosts,
    names: Arc<Names>,
    parked: ParkedCalls,
    count: Arc<AtomicU64>,
}

impl Handler {
    pub(crate) fn new(hosts: Hosts, names: Names) -> Self {
        Self { hosts, names: Arc::new(names), parked: ParkedCalls::default(), count: Arc::default() }
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
        Ok(Running::new(Arc::clone(&self.hosts.tools).call(call, caller), line, stop))
    }

    fn call_of(&self, request: &CallToolRequestParams) -> Result<ToolCall, ErrorData> {
        let is_served = self.hosts.tools.tools().iter().any(|(spec, _)| spec.name().as_str() == request.name);
        let name = ToolName::new(request.name.as_ref()).ok().filter(|_| is_served);
        let Some(name) = name else { return Err(unknown(&request.name)) };
        let number = self.count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let id = CallId::new(format!("mcp_{number}")).map_err(|error| internal_error(&error))?;
        let text =
            request.arguments.as_ref().map_or_else(|| "{}".to_owned(), |object| json!(object).to_string());
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
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        capabilities.resources = self.hosts.resources.is_some().then(ResourcesCapability::default);
        capabilities.prompts = self.hosts.prompts.is_some().then(PromptsCapability::default);
        let names = &self.names;
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(names.name.clone(), names.version.clone()));
        match &names.instructions {
            Some(words) => info.with_instructions(words.clone()),
            None => info,
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = self.hosts.tools.tools();
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
        check_page(request.as_ref())?;
        let tools = self.hosts.tools.tools().iter().map(|(spec, hints)| to_mcp_tool(spec, *hints)).collect();
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

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        check_page(request.as_ref())?;
        let resources = self.hosts.resources.as_ref().map(|host| host.resources()).unwrap_or_default();
        Ok(ListResourcesResult::with_all_items(resources.into_iter().map(Resource::into_wire).collect()))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        check_page(request.as_ref())?;
        let templates = self.hosts.resources.as_ref().map(|host| host.templates()).unwrap_or_default();
        let templates = templates.into_iter().map(ResourceTemplate::into_wire).collect();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let missing =
            || ErrorData::resource_not_found("resource not found", Some(json!({ "uri": request.uri })));
        let host = self.hosts.resources.clone().ok_or_else(missing)?;
        if request.uri.len() > URI_BYTES {
            return Err(ErrorData::invalid_params(format!("a URI has at most {URI_BYTES} bytes"), None));
        }
        let read = wait_unless_cancelled(&context, host.read(request.uri.clone())).await?;
        let contents = read.map_err(|error| match error {
            HostError::NotFound => missing(),
            error => host_error(&error),
        })?;
        let contents = contents.into_iter().map(ResourceContents::into_wire).collect();
        Ok(ReadResourceResult::new(contents).into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        check_page(request.as_ref())?;
        let prompts = self.hosts.prompts.as_ref().map(|host| host.prompts()).unwrap_or_default();
        Ok(ListPromptsResult::with_all_items(prompts.into_iter().map(Prompt::into_wire).collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let unknown = || {
            let words = format!("unknown prompt {:?}; prompts/list returns the known prompts", request.name);
            ErrorData::invalid_params(words, None)
        };
        let host = self.hosts.prompts.clone().ok_or_else(unknown)?;
        let prompt = host.prompts().into_iter().find(|prompt| prompt.name == request.name);
        let prompt = prompt.ok_or_else(unknown)?;
        let arguments = prompt.check_arguments(request.arguments.unwrap_or_default());
        let arguments = arguments.map_err(|error| host_error(&error))?;
        let filled = wait_unless_cancelled(&context, host.fill(prompt.name.clone(), arguments)).await?;
        let messages = filled.map_err(|error| host_error(&error))?;
        let result = GetPromptResult::new(messages.into_iter().map(PromptMessage::into_wire).collect());
        let result = match prompt.description {
            Some(description) => result.with_description(description),
            None => result,
        };
        Ok(result.into())
    }
}

/// Refuses a cursor: each list has one page.
fn check_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_ref()) {
        Some(_) => Err(ErrorData::invalid_params("the list has one page", None)),
        None => Ok(()),
    }
}

/// Waits for a host, until the client cancels its request.
async fn wait_unless_cancelled<T>(
    context: &RequestContext<RoleServer>,
    work: impl Future<Output = T>,
) -> Result<T, ErrorData> {
    tokio::select! {
        done = work => Ok(done),
        () = context.ct.cancelled() => Err(ErrorData::internal_error("the request was cancelled", None)),
    }
}

fn host_error(error: &HostError) -> ErrorData {
    match error {
        HostError::NotFound | HostError::Invalid(_) => ErrorData::invalid_params(error.to_string(), None),
        HostError::Failed(_) => internal_error(error),
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
