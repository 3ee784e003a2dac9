//! Encodes the body of a request: the fields have a fixed order, and `input` comes last (RULES N6).

use std::sync::LazyLock;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use windlass_protocol::{
    Delivery, Grammar, OutputFormat, ParallelCalls, RawJson, Request, ToolChoice, ToolName, ToolSpec,
};
use windlass_wire::{EncodeError, HttpRequest, NativeTool, RequestBody, check_pairing_from, with_extra};

use crate::messages::input;
use crate::names::{NAME, encode_error, is_legal_name, rest};
use crate::request::{Field, OwnTool, WireChoice, WireFormat, WireGrammar, WireTool};
use crate::{EncryptedReasoning, OpenAiResponsesOptions, hosted, parameters};

/// The body's fields in the order in which they are serialized.
struct Body<'a>(Vec<(&'a str, Field<'a>)>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The name of the body's field for the conversation.
const INPUT: &str = "input";
/// The field that merges the request's own members with the computed `format`.
const TEXT: &str = "text";

pub(crate) fn encode(
    options: &OpenAiResponsesOptions,
    request: &Request,
    mut body: RequestBody<'_>,
) -> Result<HttpRequest, EncodeError> {
    let OpenAiResponsesOptions { storage, history, .. } = options;
    let start = body.resume(format_args!("{NAME} {storage:?} {history:?}"), &request.messages, |_| true);
    check_pairing_from(&request.messages, start)?;
    check_names(&request.tools)?;
    if several_answers(request) {
        return Err(encode_error("more than one answer"));
    }
    let mut fields = vec![("model", Field::Text(&request.model))];
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        fields.push(("instructions", Field::Text(system)));
    }
    parameters::encode(request, &mut fields)?;
    fields.extend(options.storage.flag().map(|flag| ("store", Field::Flag(flag))));
    if options.encrypted_reasoning == EncryptedReasoning::Ask {
        fields.push(("include", Field::Include(["reasoning.encrypted_content"])));
    }
    if request.delivery == Delivery::Stream {
        fields.push(("stream", Field::Flag(true)));
    }
    text(request, &mut fields)?;
    tools(options, request, &mut fields)?;
    fields.push((INPUT, Field::Input([])));
    let unmerged: Map<String, Value>;
    let mut extra = &request.options.extra;
    if fields.iter().any(|(name, _)| *name == TEXT) && extra.contains_key(TEXT) {
        let others = extra.iter().filter(|(name, _)| *name != TEXT);
        unmerged = others.map(|(name, value)| (name.clone(), value.clone())).collect();
        extra = &unmerged;
    }
    let head = Body(with_extra(fields, extra, Field::Extra));
    let body = if extra.contains_key(INPUT) {
        input(options, &request.messages, 0..request.messages.len())?;
        body.whole(serde_json::to_vec(&head)?.into())
    } else {
        body.finish(&head, &request.messages, |range| input(options, &request.messages, range))?
    };
    Ok(HttpRequest::post("/responses", body))
}

/// Returns true if the request asks for a number of answers other than one.
pub(crate) fn several_answers(request: &Request) -> bool {
    request.options.extra.get("n").is_some_and(|n| n != 1)
}

/// Appends the format and the length of the answer's text, merged with the request's own `text` members.
fn text<'a>(request: &'a Request, fields: &mut Vec<(&'a str, Field<'a>)>) -> Result<(), EncodeError> {
    let format = match &request.output {
        OutputFormat::Text => None,
        OutputFormat::Json => Some(WireFormat::JsonObject),
        OutputFormat::Schema(schema) => Some(WireFormat::JsonSchema {
            name: &schema.name,
            description: schema.description.as_deref(),
            schema: schema.schema.as_raw(),
            strict: schema.strict.as_flag(),
        }),
        _ => return Err(encode_error("the form of the answer")),
    };
    let mut members: Vec<_> = format.into_iter().map(|format| ("format", Field::Format(format))).collect();
    let verbosity = request.options.verbosity.map(|verbosity| ("verbosity", Field::Text(verbosity.as_str())));
    members.extend(verbosity);
    if members.is_empty() {
        return Ok(());
    }
    let format = match request.options.extra.get(TEXT) {
        None => members,
        Some(Value::Object(extra)) => with_extra(members, extra, Field::Extra),
        Some(_) => return Ok(()),
    };
    fields.push((TEXT, Field::Object(format)));
    Ok(())
}

fn tools<'a>(
    options: &OpenAiResponsesOptions,
    request: &'a Request,
    fields: &mut Vec<(&'a str, Field<'a>)>,
) -> Result<(), EncodeError> {
    if request.tools.is_empty() && request.options.hosted_tools.is_empty() {
        return match &request.options.tool_choice {
            ToolChoice::Auto | ToolChoice::None => Ok(()),
            ToolChoice::Required | ToolChoice::Named(_) => Err(encode_error("a demanded call without tools")),
        };
    }
    let hosted =
        request.options.hosted_tools.iter().map(hosted::definition).collect::<Result<Vec<_>, _>>()?;
    let choice = match &request.options.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(WireChoice::Word("none")),
        ToolChoice::Required => Some(WireChoice::Word("required")),
        ToolChoice::Named(name) => Some(choose_named(request, &hosted, name)?),
    };
    fields.extend(choice.map(|choice| ("tool_choice", Field::Choice(choice))));
    match request.options.parallel_calls {
        ParallelCalls::ProviderDefault => {}
        ParallelCalls::Allow => fields.push(("parallel_tool_calls", Field::Flag(true))),
        ParallelCalls::Forbid => fields.push(("parallel_tool_calls", Field::Flag(false))),
    }
    let own = request.tools.iter().map(|tool| own_tool(options, request, tool));
    let hosted = hosted.into_iter().map(|tool| Ok(WireTool::Hosted(tool)));
    fields.push(("tools", Field::Tools(own.chain(hosted).collect::<Result<_, _>>()?)));
    Ok(())
}

/// Returns the choice of a named tool: the request's own by its name, a hosted one by its type.
fn choose_named<'a>(
    request: &Request,
    hosted: &[NativeTool<'_>],
    name: &'a ToolName,
) -> Result<WireChoice<'a>, EncodeError> {
    let text = name.as_str();
    match request.tools.iter().find(|tool| tool.name() == name) {
        Some(ToolSpec::Function { .. }) => Ok(WireChoice::Named { kind: "function", name: Some(text) }),
        Some(_) => Ok(WireChoice::Named { kind: "custom", name: Some(text) }),
        None if hosted.iter().any(|tool| is_of_type(tool, text)) => {
            Ok(WireChoice::Named { kind: text, name: None })
        }
        None => Err(encode_error(format!("a demanded call of {name}, which is not offered"))),
    }
}

fn is_of_type(tool: &Value, kind: &str) -> bool {
    tool.get("type").and_then(Value::as_str) == Some(kind)
}

/// The field of a function that names its callers.
const CALLERS: &str = "allowed_callers";

/// The field of a function with the schema of its results.
const OUTPUT_SCHEMA: &str = "output_schema";

/// The value of [`CALLERS`] for a function that only programs call.
static PROGRAMS: LazyLock<Value> = LazyLock::new(|| json!(["programmatic"]));
/// The value of [`CALLERS`] for a function that programs and the model call.
static BOTH_CALLERS: LazyLock<Value> = LazyLock::new(|| json!(["direct", "programmatic"]));

fn own_tool<'a>(
    options: &OpenAiResponsesOptions,
    request: &'a Request,
    tool: &'a ToolSpec,
) -> Result<WireTool<'a>, EncodeError> {
    static DEFERS: Value = Value::Bool(true);
    let mut rest = rest(request.tool_fields.get(tool.name()), &[]);
    if request.options.is_deferred(tool.name()) {
        rest.entry(hosted::DEFERRED).or_insert(&DEFERS);
    }
    let calling = request.options.programmatic_calling(tool.name());
    if let Some(calling) = calling {
        let callers = if calling.direct_calls { &*BOTH_CALLERS } else { &*PROGRAMS };
        rest.entry(CALLERS).or_insert(callers);
    }
    let own = match tool {
        ToolSpec::Function { name, description, parameters, strict, output_schema, .. } => {
            let output_schema = output_schema.as_ref().filter(|_| calling.is_some());
            OwnTool::Function {
                name: name.as_str(),
                description,
                parameters: parameters.as_raw(),
                strict: strict.as_flag().or(options.strict_functions.flag()),
                output_schema: output_schema
                    .filter(|_| !rest.contains_key(OUTPUT_SCHEMA))
                    .map(RawJson::as_raw),
                rest,
            }
        }
        ToolSpec::Freeform { name, description, grammar } => {
            let format = grammar.as_ref().map(wire_grammar).transpose()?;
            OwnTool::Custom { name: name.as_str(), description, format, rest }
        }
        _ => return Err(encode_error(format!("the form of the tool {}", tool.name()))),
    };
    Ok(WireTool::Own(own))
}

fn wire_grammar(grammar: &Grammar) -> Result<WireGrammar<'_>, EncodeError> {
    match grammar {
        Grammar::Lark(definition) => Ok(WireGrammar { syntax: "lark", definition }),
        Grammar::Regex(definition) => Ok(WireGrammar { syntax: "regex", definition }),
        _ => Err(encode_error("the syntax of a grammar")),
    }
}

/// Checks tool names against the provider's rule: at most 64 letters, digits, `_` and `-`.
fn check_names(tools: &[ToolSpec]) -> Result<(), EncodeError> {
    match tools.iter().find(|tool| !is_legal_name(tool.name().as_str())) {
        None => Ok(()),
        Some(tool) => Err(encode_error(format!("the tool name {:?}", tool.name().as_str()))),
    }
}
