//! Makes the body of a request: fields in a fixed order, messages last (RULES N6).

use serde::{Serialize, Serializer};
use windlass_protocol::{Delivery, Grammar, ParallelCalls, Request, Strictness, ToolChoice, ToolSpec};
use windlass_wire::{EncodeError, HttpRequest, check_pairing, with_extra};

use crate::messages::wire_messages;
use crate::request::{
    Field, WireChoice, WireCustomSpec, WireFormat, WireFunctionSpec, WireGrammar, WireName, WireNamed,
    WireStreamOptions, WireTool,
};
use crate::wire::NAME;
use crate::{OpenAiChatOptions, StreamUsage};

/// The body's fields in the order of its bytes.
struct Body<'a>(Vec<(&'a str, Field<'a>)>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

pub(crate) fn encode(options: &OpenAiChatOptions, request: &Request) -> Result<HttpRequest, EncodeError> {
    check_pairing(&request.messages)?;
    check_names(&request.tools)?;
    let mut fields = vec![("model", Field::Text(&request.model))];
    if let Some(tokens) = request.max_output_tokens {
        fields.push((options.max_tokens_field.as_str(), Field::Count(tokens)));
    }
    if let Some(temperature) = request.temperature {
        fields.push(("temperature", Field::Float(temperature)));
    }
    if !request.stop_sequences.is_empty() {
        fields.push(("stop", Field::Texts(&request.stop_sequences)));
    }
    if request.delivery == Delivery::Stream {
        fields.push(("stream", Field::Flag(true)));
        if options.stream_usage == StreamUsage::Ask {
            fields.push(("stream_options", Field::StreamOptions(WireStreamOptions { include_usage: true })));
        }
    }
    tools(request, &mut fields)?;
    fields.push(("messages", Field::Messages(wire_messages(options, request)?)));
    let fields = with_extra(fields, &request.extra, Field::Extra);
    Ok(HttpRequest::post("/chat/completions", serde_json::to_vec(&Body(fields))?))
}

fn tools<'a>(request: &'a Request, fields: &mut Vec<(&'a str, Field<'a>)>) -> Result<(), EncodeError> {
    if request.tools.is_empty() {
        return match &request.tool_choice {
            ToolChoice::Auto | ToolChoice::None => Ok(()),
            ToolChoice::Required | ToolChoice::Named(_) => Err(unsupported("a demanded call without tools")),
        };
    }
    match &request.tool_choice {
        ToolChoice::Auto => {}
        ToolChoice::None => fields.push(("tool_choice", Field::Choice(WireChoice::Word("none")))),
        ToolChoice::Required => fields.push(("tool_choice", Field::Choice(WireChoice::Word("required")))),
        ToolChoice::Named(name) => {
            let named = WireName { name: name.as_str() };
            let choice = match request.tools.iter().find(|tool| tool.name() == name) {
                Some(ToolSpec::Function { .. }) => WireNamed::Function { function: named },
                Some(_) => WireNamed::Custom { custom: named },
                None => return Err(unsupported(format!("a demanded call of {name}, which is not offered"))),
            };
            fields.push(("tool_choice", Field::Choice(WireChoice::Named(choice))));
        }
    }
    match request.parallel_calls {
        ParallelCalls::ProviderDefault => {}
        ParallelCalls::Allow => fields.push(("parallel_tool_calls", Field::Flag(true))),
        ParallelCalls::Forbid => fields.push(("parallel_tool_calls", Field::Flag(false))),
    }
    let tools = request.tools.iter().map(wire_tool).collect::<Result<_, _>>()?;
    fields.push(("tools", Field::Tools(tools)));
    Ok(())
}

fn wire_tool(tool: &ToolSpec) -> Result<WireTool<'_>, EncodeError> {
    match tool {
        ToolSpec::Function { name, description, parameters, strict } => Ok(WireTool::Function {
            function: WireFunctionSpec {
                name: name.as_str(),
                description,
                parameters: parameters.as_raw(),
                strict: match strict {
                    Strictness::Unsaid => None,
                    Strictness::On => Some(true),
                    Strictness::Off => Some(false),
                },
            },
        }),
        ToolSpec::Freeform { name, description, grammar } => {
            let format = grammar.as_ref().map(wire_grammar).transpose()?;
            Ok(WireTool::Custom { custom: WireCustomSpec { name: name.as_str(), description, format } })
        }
        _ => Err(unsupported(format!("the form of the tool {}", tool.name()))),
    }
}

fn wire_grammar(grammar: &Grammar) -> Result<WireFormat<'_>, EncodeError> {
    let (syntax, definition) = match grammar {
        Grammar::Lark(text) => ("lark", text),
        Grammar::Regex(text) => ("regex", text),
        _ => return Err(unsupported("the syntax of a grammar")),
    };
    Ok(WireFormat { grammar: WireGrammar { syntax, definition } })
}

/// The provider's rule for names: letters, digits, `_` and `-`, at most 64.
fn check_names(tools: &[ToolSpec]) -> Result<(), EncodeError> {
    match tools.iter().find(|tool| !is_legal_name(tool.name().as_str())) {
        None => Ok(()),
        Some(tool) => Err(unsupported(format!("the tool name {:?}", tool.name().as_str()))),
    }
}

pub(crate) fn is_legal_name(name: &str) -> bool {
    name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

pub(crate) fn unsupported(what: impl Into<String>) -> EncodeError {
    EncodeError::Unsupported { wire: NAME, what: what.into() }
}
