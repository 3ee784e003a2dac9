//! Encodes the tools of a request and the tool choice.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_protocol::{Opaque, ParallelCalls, Request, Strictness, ToolChoice, ToolSpec};
use windlass_wire::{EncodeError, with_extra};

use crate::names::{CHOICE, NAME, encode_error, is_first, is_legal, is_legal_name, rest};
use crate::request::{Field, Fields, WireFunction, WireTool};
use crate::{AutoMode, GeminiOptions, SchemaField, hosted};

pub(crate) const CALLING: &str = "functionCallingConfig";

/// The opaque fields of a function: the field that held its schema, the schema itself if it is in the API's
/// own dialect, and the uninterpreted fields of its declaration.
pub(crate) const FIELD: &str = "field";
pub(crate) const PARAMETERS: &str = "parameters";
pub(crate) const DECLARATION: &str = "declaration";

/// Appends the functions, and after them the provider's own tools.
pub(crate) fn tools<'a>(
    options: &GeminiOptions,
    request: &'a Request,
    fields: &mut Fields<'a>,
) -> Result<(), EncodeError> {
    let mut tools = Vec::with_capacity(request.options.hosted_tools.len().saturating_add(1));
    if !request.tools.is_empty() {
        let declarations =
            request.tools.iter().map(|tool| function(options, request, tool)).collect::<Result<_, _>>()?;
        tools.push(WireTool::Functions { declarations });
    }
    for tool in &request.options.hosted_tools {
        tools.push(WireTool::Hosted(hosted::definition(tool)?));
    }
    if !tools.is_empty() {
        fields.push(("tools", Field::Tools(tools)));
    }
    Ok(())
}

fn function<'a>(
    options: &GeminiOptions,
    request: &'a Request,
    tool: &'a ToolSpec,
) -> Result<WireFunction<'a>, EncodeError> {
    let opaque = request.tool_fields.get(tool.name());
    let given = |name: &str| opaque.and_then(|opaque: &Opaque| opaque.for_wire(NAME)?.get(name));
    match tool {
        ToolSpec::Function { name, .. } if !is_legal_name(name.as_str()) => {
            Err(encode_error(format!("the tool name {:?}", name.as_str())))
        }
        ToolSpec::Function { name, description, parameters, .. } => {
            let (mut plain, mut json) = (None, None);
            let mut rest = rest(opaque, DECLARATION);
            let field = match given(FIELD).and_then(Value::as_str) {
                Some(PARAMETERS) => SchemaField::Parameters,
                Some(_) => SchemaField::ParametersJsonSchema,
                None => options.schema_field,
            };
            match field {
                SchemaField::Parameters if given(PARAMETERS).is_some() => {
                    rest.extend(given(PARAMETERS).map(|own| (PARAMETERS, own)));
                }
                SchemaField::ParametersJsonSchema => json = Some(parameters.as_raw()),
                SchemaField::Parameters => plain = Some(parameters.as_raw()).filter(|raw| has_members(raw)),
            }
            let json = json.filter(|raw| raw.get() != "null");
            Ok(WireFunction {
                name: name.as_str(),
                description,
                parameters: plain,
                parameters_json_schema: json,
                rest,
            })
        }
        _ => Err(encode_error(format!("the form of the tool {}", tool.name()))),
    }
}

/// Returns true if a schema has members. The API's own subset does not allow an object without properties.
fn has_members(schema: &RawValue) -> bool {
    match serde_json::from_str::<Map<String, Value>>(schema.get()) {
        Ok(schema) => match schema.get("properties") {
            Some(Value::Object(properties)) => !properties.is_empty(),
            _ => schema.keys().any(|key| key != "type" && key != "properties"),
        },
        Err(_) => false,
    }
}

/// Appends the tool choice, unless it is the API's default.
pub(crate) fn choice<'a>(
    options: &GeminiOptions,
    request: &'a Request,
    fields: &mut Fields<'a>,
) -> Result<(), EncodeError> {
    let extra = match request.options.extra.get(CHOICE) {
        None => None,
        Some(Value::Object(extra)) => Some(extra),
        Some(_) => return Ok(()),
    };
    let mut calling = calling(options, request)?;
    let extra_calling = extra.and_then(|extra| extra.get(CALLING)).and_then(Value::as_object);
    if let Some(extra) = extra_calling {
        calling = with_extra(calling, extra, Field::Extra);
    }
    let mut config = Fields::new();
    for (name, value) in extra.into_iter().flatten().filter(|(name, _)| *name != CALLING) {
        config.push((name, Field::Extra(value)));
    }
    let is_said = extra.is_some_and(|extra| extra.contains_key(hosted::INCLUDE_CALLS));
    if hosted::is_beside_functions(request) && !is_said {
        config.push((hosted::INCLUDE_CALLS, Field::Flag(true)));
    }
    config.sort_by_key(|(name, _)| *name);
    if !calling.is_empty() {
        config.insert(0, (CALLING, Field::Object(calling)));
    }
    if !config.is_empty() {
        fields.push((CHOICE, Field::Object(config)));
    }
    Ok(())
}

fn calling<'a>(options: &GeminiOptions, request: &'a Request) -> Result<Fields<'a>, EncodeError> {
    let mode = |word| ("mode", Field::Word(word));
    if request.tools.is_empty() {
        return match &request.options.tool_choice {
            ToolChoice::Auto | ToolChoice::None => Ok(Fields::new()),
            ToolChoice::Required | ToolChoice::Named(_) => Err(encode_error("a demanded call without tools")),
        };
    }
    if request.options.parallel_calls == ParallelCalls::Forbid
        && request.options.tool_choice != ToolChoice::None
    {
        return Err(encode_error("the limit of one call"));
    }
    Ok(match &request.options.tool_choice {
        ToolChoice::Auto if is_validated(options, request) => vec![mode("VALIDATED")],
        ToolChoice::Auto => Fields::new(),
        ToolChoice::None => vec![mode("NONE")],
        ToolChoice::Required => vec![mode("ANY")],
        ToolChoice::Named(name) if request.tools.iter().any(|tool| tool.name() == name) => {
            vec![mode("ANY"), ("allowedFunctionNames", Field::Names([name.as_str()]))]
        }
        ToolChoice::Named(name) => {
            return Err(encode_error(format!("a demanded call of {name}, which is not offered")));
        }
    })
}

/// Returns whether the API has to enforce the schemas of calls that the model may make. It has one mode for all functions;
/// `ANY` enforces them, too.
fn is_validated(options: &GeminiOptions, request: &Request) -> bool {
    let is_strict = |tool: &ToolSpec| matches!(tool, ToolSpec::Function { strict: Strictness::On, .. });
    options.auto_mode == AutoMode::Validated || request.tools.iter().any(is_strict)
}

/// Replaces the characters of a call's name that the API refuses by `_`, so that a name that a model invented
/// cannot block the conversation.
pub(crate) fn history_name(name: &str) -> Cow<'_, str> {
    if is_legal_name(name) {
        return Cow::Borrowed(name);
    }
    let legal = |character| match u8::try_from(character) {
        Ok(byte) if is_legal(byte) => character,
        _ => '_',
    };
    let start = if name.bytes().next().is_some_and(is_first) { "" } else { "_" };
    Cow::Owned(start.chars().chain(name.chars().map(legal)).take(64).collect())
}
