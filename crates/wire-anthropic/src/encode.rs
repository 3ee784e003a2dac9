//! Makes the body of a request: fields in a fixed order, messages last (RULES N6).

use serde::{Serialize, Serializer};
use windlass_protocol::{Delivery, ParallelCalls, Request, ToolChoice, ToolSpec};
use windlass_wire::{EncodeError, HttpRequest, check_pairing, with_extra};

use crate::AnthropicOptions;
use crate::messages::wire_messages;
use crate::request::{Field, WireChoice, WireTool};
use crate::wire::NAME;

/// The body's fields in the order of its bytes.
struct Body<'a>(Vec<(&'a str, Field<'a>)>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

pub(crate) fn encode(options: &AnthropicOptions, request: &Request) -> Result<HttpRequest, EncodeError> {
    check_pairing(&request.messages)?;
    let tokens = request.max_output_tokens.unwrap_or(options.default_max_tokens);
    let mut fields = vec![("model", Field::Text(&request.model)), ("max_tokens", Field::Count(tokens))];
    if let Some(temperature) = request.temperature {
        fields.push(("temperature", Field::Float(temperature)));
    }
    if !request.stop_sequences.is_empty() {
        fields.push(("stop_sequences", Field::Texts(&request.stop_sequences)));
    }
    if request.delivery == Delivery::Stream {
        fields.push(("stream", Field::Flag(true)));
    }
    tools(request, &mut fields)?;
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        fields.push(("system", Field::Text(system)));
    }
    fields.push(("messages", Field::Messages(wire_messages(request)?)));
    let body = serde_json::to_vec(&Body(with_extra(fields, &request.extra, Field::Extra)))?;
    let http =
        HttpRequest::post("/v1/messages", body).with_header("anthropic-version", options.version.as_str());
    if options.betas.is_empty() {
        return Ok(http);
    }
    Ok(http.with_header("anthropic-beta", options.betas.join(",")))
}

fn tools<'a>(request: &'a Request, fields: &mut Vec<(&'a str, Field<'a>)>) -> Result<(), EncodeError> {
    if request.tools.is_empty() {
        return match &request.tool_choice {
            ToolChoice::Auto | ToolChoice::None => Ok(()),
            ToolChoice::Required | ToolChoice::Named(_) => Err(unsupported("a demanded call without tools")),
        };
    }
    let disable_parallel_tool_use = match request.parallel_calls {
        ParallelCalls::ProviderDefault => None,
        ParallelCalls::Allow => Some(false),
        ParallelCalls::Forbid => Some(true),
    };
    let choice = match &request.tool_choice {
        // The default of the API, said only where the switch for several calls needs a place.
        ToolChoice::Auto if disable_parallel_tool_use.is_none() => None,
        ToolChoice::Auto => Some(WireChoice { kind: "auto", name: None, disable_parallel_tool_use }),
        ToolChoice::None => Some(WireChoice { kind: "none", ..WireChoice::default() }),
        ToolChoice::Required => Some(WireChoice { kind: "any", name: None, disable_parallel_tool_use }),
        ToolChoice::Named(name) if request.tools.iter().any(|tool| tool.name() == name) => {
            Some(WireChoice { kind: "tool", name: Some(name.as_str()), disable_parallel_tool_use })
        }
        ToolChoice::Named(name) => {
            return Err(unsupported(format!("a demanded call of {name}, which is not offered")));
        }
    };
    fields.extend(choice.map(|choice| ("tool_choice", Field::Choice(choice))));
    let tools = request.tools.iter().map(wire_tool).collect::<Result<_, _>>()?;
    fields.push(("tools", Field::Tools(tools)));
    Ok(())
}

fn wire_tool(tool: &ToolSpec) -> Result<WireTool<'_>, EncodeError> {
    match tool {
        ToolSpec::Function { name, .. } if !is_legal_name(name.as_str()) => {
            Err(unsupported(format!("the tool name {:?}", name.as_str())))
        }
        ToolSpec::Function { name, description, parameters, .. } => {
            Ok(WireTool { name: name.as_str(), description, input_schema: parameters.as_raw() })
        }
        _ => Err(unsupported(format!("the form of the tool {}", tool.name()))),
    }
}

/// The API's rule for names: letters, digits, `_` and `-`, at most 128.
pub(crate) fn is_legal_name(name: &str) -> bool {
    name.len() <= 128 && name.bytes().all(is_legal)
}

/// The API's rule for the characters of names and ids.
pub(crate) fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

pub(crate) fn unsupported(what: impl Into<String>) -> EncodeError {
    EncodeError::Unsupported { wire: NAME, what: what.into() }
}
