//! Encodes the tools of a request.

use windlass_protocol::{Grammar, Opaque, ParallelCalls, Request, ToolChoice, ToolSpec};
use windlass_wire::EncodeError;

use crate::hosted::{self, Definition};
use crate::marks::{FUNCTION, TOOL};
use crate::names::encode_error;
use crate::request::{
    Field, WireChoice, WireCustomSpec, WireFormat, WireFunctionSpec, WireGrammar, WireName, WireNamed,
    WireTool,
};
use crate::{OpenAiChatOptions, marks};

/// Appends the tools, the tool choice and the switch for parallel calls to the body's fields.
pub(crate) fn encode<'a>(
    options: &OpenAiChatOptions,
    request: &'a Request,
    fields: &mut Vec<(&'a str, Field<'a>)>,
) -> Result<(), EncodeError> {
    let mut hosted = Vec::with_capacity(request.options.hosted_tools.len());
    for tool in &request.options.hosted_tools {
        match hosted::definition(options, &request.model, tool)? {
            Definition::Tool(tool) => hosted.push(Ok(WireTool::Hosted(tool))),
            Definition::Search(search) => fields.push(("web_search_options", Field::Search(search))),
        }
    }
    if request.tools.is_empty() && hosted.is_empty() {
        return match &request.options.tool_choice {
            ToolChoice::Auto | ToolChoice::None => Ok(()),
            ToolChoice::Required | ToolChoice::Named(_) => Err(encode_error("a demanded call without tools")),
        };
    }
    fields.extend(choice(request)?.map(|choice| ("tool_choice", Field::Choice(choice))));
    match request.options.parallel_calls {
        ParallelCalls::ProviderDefault => {}
        ParallelCalls::Allow => fields.push(("parallel_tool_calls", Field::Flag(true))),
        ParallelCalls::Forbid => fields.push(("parallel_tool_calls", Field::Flag(false))),
    }
    let own = request.tools.iter().map(|tool| wire_tool(tool, request.tool_fields.get(tool.name())));
    fields.push(("tools", Field::Tools(own.chain(hosted).collect::<Result<_, _>>()?)));
    Ok(())
}

fn choice(request: &Request) -> Result<Option<WireChoice<'_>>, EncodeError> {
    Ok(match &request.options.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(WireChoice::Word("none")),
        ToolChoice::Required => Some(WireChoice::Word("required")),
        ToolChoice::Named(name) => {
            let named = WireName { name: name.as_str() };
            Some(WireChoice::Named(match request.tools.iter().find(|tool| tool.name() == name) {
                Some(ToolSpec::Function { .. }) => WireNamed::Function { function: named },
                Some(_) => WireNamed::Custom { custom: named },
                None => return Err(encode_error(format!("a demanded call of {name}, which is not offered"))),
            }))
        }
    })
}

fn wire_tool<'a>(tool: &'a ToolSpec, opaque: Option<&'a Opaque>) -> Result<WireTool<'a>, EncodeError> {
    let (inner, more) = (marks::group(opaque, FUNCTION), marks::group(opaque, TOOL));
    match tool {
        ToolSpec::Function { name, description, parameters, strict, .. } => {
            let function = WireFunctionSpec {
                name: name.as_str(),
                description,
                parameters: (parameters.as_str() != "null").then(|| parameters.as_raw()),
                strict: strict.as_flag(),
                more: inner,
            };
            Ok(WireTool::Own { kind: "function", function: Some(function), custom: None, more })
        }
        ToolSpec::Freeform { name, description, grammar } => {
            let format = grammar.as_ref().map(wire_grammar).transpose()?;
            let custom = WireCustomSpec { name: name.as_str(), description, format, more: inner };
            Ok(WireTool::Own { kind: "custom", function: None, custom: Some(custom), more })
        }
        _ => Err(encode_error(format!("the form of the tool {}", tool.name()))),
    }
}

fn wire_grammar(grammar: &Grammar) -> Result<WireFormat<'_>, EncodeError> {
    let (syntax, definition) = match grammar {
        Grammar::Lark(text) => ("lark", text),
        Grammar::Regex(text) => ("regex", text),
        _ => return Err(encode_error("the syntax of a grammar")),
    };
    Ok(WireFormat { grammar: WireGrammar { syntax, definition } })
}
