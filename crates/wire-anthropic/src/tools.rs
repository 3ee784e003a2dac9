//! Encodes the tools of a request.

use serde_json::Value;
use windlass_protocol::{ParallelCalls, Request, Strictness, ToolChoice, ToolSpec};
use windlass_wire::{EncodeError, NativeTool};

use crate::names::{encode_error, is_legal_name};
use crate::request::{Ephemeral, Field, OwnTool, WireChoice, WireTool};
use crate::{AnthropicOptions, hosted, marks, programs};

/// The field of a tool that the model sees only after a search.
const DEFERRED: &str = "defer_loading";

/// Appends the tools `offered` and the tool choice to the body's fields, and sets `marker` on the last tool that can
/// have one.
pub(crate) fn encode<'a>(
    options: &AnthropicOptions,
    request: &'a Request,
    offered: &'a [ToolSpec],
    marker: Option<Ephemeral>,
    fields: &mut Vec<(&'a str, Field<'a>)>,
) -> Result<(), EncodeError> {
    if offered.is_empty() && request.options.hosted_tools.is_empty() {
        return match &request.options.tool_choice {
            ToolChoice::Auto | ToolChoice::None => Ok(()),
            ToolChoice::Required | ToolChoice::Named(_) => Err(encode_error("a demanded call without tools")),
        };
    }
    programs::check_options(request)?;
    let hosted =
        programs::select_hosted_tools(request).map(|tool| hosted::definition(options, &request.model, tool));
    let hosted = hosted.collect::<Result<Vec<_>, _>>()?;
    fields.extend(choice(request, &hosted)?.map(|choice| ("tool_choice", Field::Choice(choice))));
    let servers = hosted::servers(request);
    if !servers.is_empty() {
        fields.push(("mcp_servers", Field::Servers(servers)));
    }
    let own = offered.iter().map(|tool| wire_tool(options, request, tool));
    let hosted = hosted.into_iter().map(|tool| Ok(WireTool::Hosted(tool)));
    let mut tools = own.chain(hosted).collect::<Result<Vec<_>, _>>()?;
    // A hosted tool gets no marker, and the API refuses a marker on a tool with deferred loading. The last of the other
    // tools gets it.
    let is_deferred = |tool: &OwnTool<'_>| {
        tool.defer_loading.is_some() || tool.more.is_some_and(|more| more.contains_key(DEFERRED))
    };
    let last = tools.iter_mut().rev().find_map(|tool| match tool {
        WireTool::Own(tool) if !is_deferred(tool) => Some(tool),
        _ => None,
    });
    if let Some(last) = last {
        last.cache_control = marker;
    }
    fields.push(("tools", Field::Tools(tools)));
    Ok(())
}

fn choice<'a>(
    request: &'a Request,
    hosted: &[NativeTool<'_>],
) -> Result<Option<WireChoice<'a>>, EncodeError> {
    let disable_parallel_tool_use = match request.options.parallel_calls {
        ParallelCalls::ProviderDefault => None,
        ParallelCalls::Allow => Some(false),
        ParallelCalls::Forbid => Some(true),
    };
    Ok(match &request.options.tool_choice {
        // `auto` is the API's default and is sent only if `disable_parallel_tool_use` has to be.
        ToolChoice::Auto if disable_parallel_tool_use.is_none() => None,
        ToolChoice::Auto => Some(WireChoice { kind: "auto", name: None, disable_parallel_tool_use }),
        ToolChoice::None => Some(WireChoice { kind: "none", ..WireChoice::default() }),
        ToolChoice::Required => Some(WireChoice { kind: "any", name: None, disable_parallel_tool_use }),
        ToolChoice::Named(name) if is_offered(request, hosted, name.as_str()) => {
            Some(WireChoice { kind: "tool", name: Some(name.as_str()), disable_parallel_tool_use })
        }
        ToolChoice::Named(name) => {
            return Err(encode_error(format!("a demanded call of {name}, which is not offered")));
        }
    })
}

fn is_offered(request: &Request, hosted: &[NativeTool<'_>], name: &str) -> bool {
    let is_hosted = |tool: &NativeTool<'_>| tool.get("name").and_then(Value::as_str) == Some(name);
    request.tools.iter().any(|tool| tool.name().as_str() == name) || hosted.iter().any(is_hosted)
}

/// The field of a tool that names its callers.
const CALLERS: &str = "allowed_callers";

/// Encodes the definition of a tool.
pub(crate) fn wire_tool<'a>(
    options: &AnthropicOptions,
    request: &'a Request,
    tool: &'a ToolSpec,
) -> Result<WireTool<'a>, EncodeError> {
    let more = marks::block(request.tool_fields.get(tool.name()));
    let callers = programs::find_callers(options, request, tool.name());
    let is_deferred =
        request.options.is_deferred(tool.name()) && !more.is_some_and(|more| more.contains_key(DEFERRED));
    match tool {
        ToolSpec::Function { name, .. } if !is_legal_name(name.as_str()) => {
            Err(encode_error(format!("the tool name {:?}", name.as_str())))
        }
        // Programmatic tool calling, "Feature incompatibilities": `strict`.
        ToolSpec::Function { name, strict: Strictness::On, .. } if callers.is_some() => {
            Err(encode_error(format!("a strict schema of {name}, which programs can call")))
        }
        ToolSpec::Function { name, description, parameters, strict, eager_arguments, .. } => {
            Ok(WireTool::Own(OwnTool {
                name: name.as_str(),
                description,
                input_schema: parameters.as_raw(),
                strict: strict.as_flag(),
                eager_input_streaming: eager_arguments.then_some(true),
                defer_loading: is_deferred.then_some(true),
                allowed_callers: callers
                    .filter(|_| !more.is_some_and(|more| more.contains_key(CALLERS)))
                    .map(|callers| callers.into_iter().map(str::to_owned).collect()),
                cache_control: None,
                more,
            }))
        }
        _ => Err(encode_error(format!("the form of the tool {}", tool.name()))),
    }
}
