//! The handler of a client's requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    PromptsCapability, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
    ResourcesCapability, ServerCapabilities, ServerConfig, SubscribeRequestMethod, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use windlass_protocol::{Arguments, CallId, ResultStatus, ToolCall, ToolName, ToolResult};

use crate::answer::answer;
use crate::failure::{check_page, check_uri, host_error, internal_error, unknown_prompt, unknown_tool};
use crate::parked::{ParkedRequests, RepeatedRequest};
use crate::resource_changes::{self, ResourceChanges, Subscriptions};
use crate::rounds::{Round, connect, wait_unless_cancelled};
use crate::running::Running;
use crate::served_tool::to_mcp_tool;
use crate::tool_host::ToolHost;
use crate::{
    HostError, Prompt, PromptHost, PromptMessage, Resource, ResourceContents, ResourceHost, ResourceTemplate,
};

/// Time in which a cancelled call must end.
const GRACE: Duration = Duration::from_secs(10);

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

/// The handler of one connection, or of one request over stateless HTTP. Clones share the parked requests.
#[derive(Clone)]
pub(crate) struct Handler {
    hosts: Hosts,
    names: Arc<Names>,
    calls: ParkedRequests<ToolResult>,
    fillings: ParkedRequests<FilledPrompt>,
    subscriptions: Subscriptions,
    count: Arc<AtomicU64>,
}

/// The messages of a prompt.
type FilledPrompt = Result<Vec<PromptMessage>, HostError>;

impl Handler {
    pub(crate) fn new(hosts: Hosts, names: Names) -> Self {
        let (calls, fillings) = (ParkedRequests::default(), ParkedRequests::default());
        let (subscriptions, count) = (Subscriptions::default(), Arc::default());
        Self { hosts, names: Arc::new(names), calls, fillings, subscriptions, count }
    }

    /// Returns the handler of another connection, with the same parked requests and without subscriptions.
    pub(crate) fn for_connection(&self) -> Self {
        Self { subscriptions: Subscriptions::default(), ..self.clone() }
    }

    fn changes(&self) -> Option<ResourceChanges> {
        self.hosts.resources.as_ref()?.changes()
    }

    fn begin_call(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Running<ToolResult>, ErrorData> {
        let call = self.call_of(request)?;
        let (caller, line, stop) = connect(context);
        Ok(Running::new(Arc::clone(&self.hosts.tools).call(call, caller), line, stop, GRACE))
    }

    fn call_of(&self, request: &CallToolRequestParams) -> Result<ToolCall, ErrorData> {
        let is_served = self.hosts.tools.tools().iter().any(|(spec, _)| spec.name().as_str() == request.name);
        let name = ToolName::new(request.name.as_ref()).ok().filter(|_| is_served);
        let Some(name) = name else { return Err(unknown_tool(&request.name)) };
        let number = self.count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let id = CallId::new(format!("mcp_{number}")).map_err(|error| internal_error(&error))?;
        let text =
            request.arguments.as_ref().map_or_else(|| "{}".to_owned(), |object| json!(object).to_string());
        let arguments = Arguments::parse(text).map_err(|error| {
            ErrorData::invalid_params(format!("the arguments cannot be read: {error}"), None)
        })?;
        Ok(ToolCall::function(id, name, arguments))
    }

    /// Returns a listed prompt.
    fn find_prompt(&self, name: &str) -> Option<Prompt> {
        self.hosts.prompts.as_ref()?.prompts().into_iter().find(|prompt| prompt.name == name)
    }

    fn begin_filling(
        &self,
        request: &GetPromptRequestParams,
        prompt: &Prompt,
        context: &RequestContext<RoleServer>,
    ) -> Result<Running<FilledPrompt>, ErrorData> {
        let host = self.hosts.prompts.clone().ok_or_else(|| unknown_prompt(&request.name))?;
        let arguments = prompt.check_arguments(request.arguments.clone().unwrap_or_default());
        let arguments = arguments.map_err(|error| host_error(&error))?;
        let (caller, line, stop) = connect(context);
        let work = host.fill_for(prompt.name.clone(), arguments, caller);
        Ok(Running::new(work, line, stop, Duration::ZERO))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        capabilities.resources = self.hosts.resources.as_ref().map(|host| {
            let mut resources = ResourcesCapability::default();
            resources.subscribe = host.changes().map(|_| true);
            resources
        });
        capabilities.prompts = self.hosts.prompts.is_some().then(PromptsCapability::default);
        capabilities.completions = self.hosts.prompts.is_some().then(JsonObject::default);
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
        let repeated = RepeatedRequest::from(&request);
        let round = self.calls.drive(&repeated, &context, || self.begin_call(&request, &context)).await?;
        match round {
            Round::Done(result) => convert_result(&request.name, &result),
            Round::Asks(question) => Ok(question.into()),
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
        check_uri(&request.uri)?;
        let read = wait_unless_cancelled(&context, host.read(request.uri.clone())).await?;
        let contents = read.map_err(|error| match error {
            HostError::NotFound => missing(),
            error => host_error(&error),
        })?;
        let contents = contents.into_iter().map(ResourceContents::into_wire).collect();
        Ok(ReadResourceResult::new(contents).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        check_uri(&request.uri)?;
        let changes = self.changes().ok_or_else(ErrorData::method_not_found::<SubscribeRequestMethod>)?;
        self.subscriptions.add(&request.uri, &changes, context.peer)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.changes().map(|_| resource_changes::accept(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        match self.changes() {
            Some(changes) => resource_changes::forward(&changes, &context).await,
            None => context.cancelled().await,
        }
        Ok(())
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
        let prompt = self.find_prompt(&request.name).ok_or_else(|| unknown_prompt(&request.name))?;
        let repeated = RepeatedRequest::from(&request);
        let begin = || self.begin_filling(&request, &prompt, &context);
        let filled = match self.fillings.drive(&repeated, &context, begin).await? {
            Round::Done(filled) => filled,
            Round::Asks(question) => return Ok(question.into()),
        };
        let messages = filled.map_err(|error| host_error(&error))?;
        let result = GetPromptResult::new(messages.into_iter().map(PromptMessage::into_wire).collect());
        let result = match prompt.description {
            Some(description) => result.with_description(description),
            None => result,
        };
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Reference::Prompt(reference) = request.r#ref else { return Ok(CompleteResult::default()) };
        let prompt = self.find_prompt(&reference.name).ok_or_else(|| unknown_prompt(&reference.name))?;
        let argument = prompt.arguments.iter().find(|argument| argument.name == request.argument.name);
        let info = argument.map(|argument| argument.complete(&request.argument.value));
        Ok(CompleteResult::new(info.unwrap_or_default()))
    }
}

/// Converts a result. An unknown tool is a protocol error and not a result of a call.
fn convert_result(name: &str, result: &ToolResult) -> Result<CallToolResponse, ErrorData> {
    if result.status == ResultStatus::UnknownTool {
        return Err(unknown_tool(name));
    }
    Ok(answer(result).into())
}
