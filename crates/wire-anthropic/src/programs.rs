//! Programs of the model that call functions: the tool that runs them, their callers, and their container.

use serde_json::{Value, json};
use windlass_protocol::{
    HostedTool, Message, ParallelCalls, Part, Request, Role, ToolChoice, ToolName, Unknown,
};
use windlass_wire::EncodeError;

use crate::AnthropicOptions;
use crate::names::{NAME, encode_error};

/// The name of the tool that runs programs.
pub(crate) const CODE_EXECUTION: &str = "code_execution";

/// The version of the tool that calls functions for the models that can. Programmatic tool calling, "Model compatibility".
const CALLING: &str = "code_execution_20260120";

/// The caller that is the model itself.
const DIRECT: &str = "direct";

/// The field of a kept part, of a message and of a request that names the container of programs.
pub(crate) const CONTAINER: &str = "container";

/// Returns the type of the tool whose programs call functions.
pub(crate) fn code_execution(options: &AnthropicOptions) -> &str {
    options.own_tool_version(CODE_EXECUTION).unwrap_or(CALLING)
}

/// Returns the hosted tools of a request without the second definition of the tool that runs programs.
pub(crate) fn select_hosted_tools(request: &Request) -> impl Iterator<Item = &HostedTool> {
    let tools = &request.options.hosted_tools;
    let calls = tools.iter().any(|tool| matches!(tool, HostedTool::ProgrammaticCalling(_)));
    tools.iter().filter(move |tool| !(calls && matches!(tool, HostedTool::CodeExecution(_))))
}

/// Returns the callers of a function, or `None` if only the model calls it.
pub(crate) fn find_callers<'a>(
    options: &'a AnthropicOptions,
    request: &Request,
    name: &ToolName,
) -> Option<Vec<&'a str>> {
    let calling = request.options.programmatic_calling(name)?;
    let direct = calling.direct_calls.then_some(DIRECT);
    Some(direct.into_iter().chain([code_execution(options)]).collect())
}

/// Checks for options that the API does not take beside programs. Programmatic tool calling, "Feature incompatibilities":
/// a call that only programs can make cannot be demanded, and `disable_parallel_tool_use` is not supported.
pub(crate) fn check_options(request: &Request) -> Result<(), EncodeError> {
    let options = &request.options;
    if let ToolChoice::Named(name) = &options.tool_choice
        && options.programmatic_calling(name).is_some_and(|calling| !calling.direct_calls)
    {
        return Err(encode_error(format!("a demanded call of {name}, which only programs can call")));
    }
    let calls = options.hosted_tools.iter().any(|tool| matches!(tool, HostedTool::ProgrammaticCalling(_)));
    if calls && options.parallel_calls == ParallelCalls::Forbid {
        return Err(encode_error("a limit of one call beside the hosted tool `programmatic_calling`"));
    }
    Ok(())
}

/// Wraps the container of a message as a part, which the request with the results needs.
pub(crate) fn keep_container(container: &Value) -> Option<Unknown> {
    container.get("id")?.as_str()?;
    Some(Unknown::new(NAME, json!({ CONTAINER: container })))
}

/// Returns the container in a kept part.
pub(crate) fn find_container(unknown: &Unknown) -> Option<&Value> {
    if unknown.wire == NAME { unknown.value.get(CONTAINER) } else { None }
}

/// Returns the id of the container whose program waits for results of this request. Programmatic tool calling: the
/// request with the results names the container. Other requests do not name it, because a container expires within
/// minutes, and the API refuses an expired one.
pub(crate) fn pending_container(request: &Request) -> Option<&str> {
    let last = request.messages.iter().rev().find(|message| message.role == Role::Assistant)?;
    last.calls().any(|call| call.program_id().is_some()).then(|| container_of(last)).flatten()
}

fn container_of(message: &Message) -> Option<&str> {
    let containers = message.parts.iter().rev().filter_map(|part| match part {
        Part::Unknown(unknown) => find_container(unknown),
        _ => None,
    });
    containers.into_iter().find_map(|container| container.get("id")?.as_str())
}
