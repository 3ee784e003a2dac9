//! The early check of the tools that the provider runs.

use windlass_loop::Config;
use windlass_protocol::{HostedTool, Message, Request, RequestOptions, ToolProtocol};
use windlass_stream::Model;

use crate::AgentError;

/// The place at which refusals name the hosted tools of a request.
const PLACE: &str = "hosted_tools";

/// Checks that the model takes the hosted tools of the configuration.
///
/// # Errors
/// Returns [`AgentError::HostedTool`] with the reason of the first tool that it does not take.
pub(super) fn check(model: &dyn Model, config: &Config) -> Result<(), AgentError> {
    let tools = &config.options.hosted_tools;
    if let Some(tool) = tools.iter().find(|tool| tool.is_run_by_caller()) {
        let reason = format!("an agent does not perform the calls of the hosted tool {tool}");
        return Err(AgentError::HostedTool { reason });
    }
    if tools.is_empty() {
        return Ok(());
    }
    let refusals = model.check(&probe(config, tools));
    match refusals.into_iter().find(|refusal| refusal.place.starts_with(PLACE)) {
        None => Ok(()),
        Some(refusal) => Err(AgentError::HostedTool { reason: refusal.what }),
    }
}

/// Returns a request like the first one of a run, because a model can refuse a hosted tool beside functions.
fn probe(config: &Config, tools: &[HostedTool]) -> Request {
    let options = tools.iter().cloned().fold(RequestOptions::default(), RequestOptions::with_hosted_tool);
    let is_native = config.protocols.first().is_none_or(|protocol| *protocol == ToolProtocol::Native);
    let functions = config.tools.iter().filter(|_| is_native).map(|tool| tool.spec.clone());
    Request::new(config.model.as_str(), vec![Message::user("task")])
        .with_tools(functions.collect())
        .with_options(options)
}
