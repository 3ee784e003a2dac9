//! Makes the body of a request: fields in a fixed order, the input last (RULES N6).

use serde::{Serialize, Serializer};
use serde_json::Value;
use windlass_protocol::{
    Delivery, Grammar, ParallelCalls, RawJson, Request, Strictness, ToolChoice, ToolName, ToolSpec,
};
use windlass_wire::{EncodeError, HttpRequest, check_pairing, with_extra};

use crate::messages::input;
use crate::request::{Field, OwnTool, WireChoice, WireGrammar, WireTool};
use crate::wire::NAME;
use crate::{EncryptedReasoning, OpenAiResponsesOptions};

/// The body's fields in the order of its bytes.
struct Body<'a>(Vec<(&'a str, Field<'a>)>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

pub(crate) fn encode(
    options: &OpenAiResponsesOptions,
    request: &Request,
) -> Result<HttpRequest, EncodeError> {
    check_pairing(&request.messages)?;
    check_names(&request.tools)?;
    if !request.stop_sequences.is_empty() {
        return Err(unsupported("stop sequences"));
    }
    if request.extra.get("n").is_some_and(|n| n != 1) {
        return Err(unsupported("more than one answer"));
    }
    let mut fields = vec![("model", Field::Text(&request.model))];
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        fields.push(("instructions", Field::Text(system)));
    }
    if let Some(tokens) = request.max_output_tokens {
        fields.push(("max_output_tokens", Field::Count(tokens)));
    }
    if let Some(temperature) = request.temperature {
        fields.push(("temperature", Field::Float(temperature)));
    }
    fields.extend(options.storage.flag().map(|flag| ("store", Field::Flag(flag))));
    if options.encrypted_reasoning == EncryptedReasoning::Ask {
        fields.push(("include", Field::Include(["reasoning.encrypted_content"])));
    }
    if request.delivery == Delivery::Stream {
        fields.push(("stream", Field::Flag(true)));
    }
    tools(options, request, &mut fields)?;
    fields.push(("input", Field::Input(input(options, request)?)));
    let fields = with_extra(fields, &request.extra, Field::Extra);
    Ok(HttpRequest::post("/responses", serde_json::to_vec(&Body(fields))?))
}

fn tools<'a>(
    options: &'a OpenAiResponsesOptions,
    request: &'a Request,
    fields: &mut Vec<(&'a str, Field<'a>)>,
) -> Result<(), EncodeError> {
    if request.tools.is_empty() && options.hosted_tools.is_empty() {
        return match &request.tool_choice {
            ToolChoice::Auto | ToolChoice::None => Ok(()),
            ToolChoice::Required | ToolChoice::Named(_) => Err(unsupported("a demanded call without tools")),
        };
    }
    let choice = match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(WireChoice::Word("none")),
        ToolChoice::Required => Some(WireChoice::Word("required")),
        ToolChoice::Named(name) => Some(named(options, request, name)?),
    };
    fields.extend(choice.map(|choice| ("tool_choice", Field::Choice(choice))));
    match request.parallel_calls {
        ParallelCalls::ProviderDefault => {}
        ParallelCalls::Allow => fields.push(("parallel_tool_calls", Field::Flag(true))),
        ParallelCalls::Forbid => fields.push(("parallel_tool_calls", Field::Flag(false))),
    }
    let own = request.tools.iter().map(|tool| own_tool(options, tool));
    let hosted = options.hosted_tools.iter().map(|tool| Ok(WireTool::Hosted(tool.as_raw())));
    fields.push(("tools", Field::Tools(own.chain(hosted).collect::<Result<_, _>>()?)));
    Ok(())
}

/// A demanded tool: the request's own by its name, the server's by its type.
fn named<'a>(
    options: &OpenAiResponsesOptions,
    request: &Request,
    name: &'a ToolName,
) -> Result<WireChoice<'a>, EncodeError> {
    let text = name.as_str();
    match request.tools.iter().find(|tool| tool.name() == name) {
        Some(ToolSpec::Function { .. }) => Ok(WireChoice::Named { kind: "function", name: Some(text) }),
        Some(_) => Ok(WireChoice::Named { kind: "custom", name: Some(text) }),
        None if options.hosted_tools.iter().any(|tool| is_of_type(tool, text)) => {
            Ok(WireChoice::Named { kind: text, name: None })
        }
        None => Err(unsupported(format!("a demanded call of {name}, which is not offered"))),
    }
}

fn is_of_type(tool: &RawJson, kind: &str) -> bool {
    tool.to_value().get("type").and_then(Value::as_str) == Some(kind)
}

fn own_tool<'a>(options: &OpenAiResponsesOptions, tool: &'a ToolSpec) -> Result<WireTool<'a>, EncodeError> {
    let own = match tool {
        ToolSpec::Function { name, description, parameters, strict } => OwnTool::Function {
            name: name.as_str(),
            description,
            parameters: parameters.as_raw(),
            strict: match strict {
                Strictness::Unsaid => options.strict_functions.flag(),
                Strictness::On => Some(true),
                Strictness::Off => Some(false),
            },
        },
        ToolSpec::Freeform { name, description, grammar } => {
            let format = grammar.as_ref().map(wire_grammar).transpose()?;
            OwnTool::Custom { name: name.as_str(), description, format }
        }
        _ => return Err(unsupported(format!("the form of the tool {}", tool.name()))),
    };
    Ok(WireTool::Own(own))
}

fn wire_grammar(grammar: &Grammar) -> Result<WireGrammar<'_>, EncodeError> {
    match grammar {
        Grammar::Lark(definition) => Ok(WireGrammar { syntax: "lark", definition }),
        Grammar::Regex(definition) => Ok(WireGrammar { syntax: "regex", definition }),
        _ => Err(unsupported("the syntax of a grammar")),
    }
}

/// The provider's rule for names: letters, digits, `_` and `-`, at most 64.
fn check_names(tools: &[ToolSpec]) -> Result<(), EncodeError> {
    match tools.iter().find(|tool| !is_legal_name(tool.name().as_str())) {
        None => Ok(()),
        Some(tool) => Err(unsupported(format!("the tool name {:?}", tool.name().as_str()))),
    }
}

pub(crate) fn is_legal_name(name: &str) -> bool {
    name.len() <= 64 && name.chars().all(is_legal_char)
}

pub(crate) fn is_legal_char(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

pub(crate) fn unsupported(what: impl Into<String>) -> EncodeError {
    EncodeError::Unsupported { wire: NAME, what: what.into() }
}
