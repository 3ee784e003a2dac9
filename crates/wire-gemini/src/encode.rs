//! Encodes the body of a request: the fields have a fixed order, and `contents` comes last (RULES N6).

use serde_json::{Map, Value};
use windlass_protocol::{Delivery, OutputFormat, Request, ToolChoice};
use windlass_wire::{EncodeError, HttpRequest, RequestBody, check_pairing_from, with_extra};

use crate::messages::wire_contents;
use crate::names::{CHOICE, CONFIG, NAME, RESPONSE_JSON_SCHEMA, RESPONSE_SCHEMA, encode_error};
use crate::request::{Body, Field, Fields, WireSystem, WireText};
use crate::tools::{choice, tools};
use crate::{GeminiOptions, SchemaField, StreamFraming, parameters};

/// The name of the body's field for the conversation.
pub(crate) const CONTENTS: &str = "contents";
/// The name of the body's field for a cache that the provider stores.
const STORED_CACHE: &str = "cachedContent";

pub(crate) fn encode(
    options: &GeminiOptions,
    request: &Request,
    mut body: RequestBody<'_>,
) -> Result<HttpRequest, EncodeError> {
    let GeminiOptions { rules, .. } = options;
    let since_three = rules.applies_since_three(&request.model);
    let start = body.resume(format_args!("{NAME} {rules:?} {since_three}"), &request.messages, |_| true);
    check_pairing_from(&request.messages, start)?;
    let path = path(options, request)?;
    let mut fields = Fields::new();
    match request.options.stored_cache.as_deref() {
        None => preamble(options, request, &mut fields)?,
        // "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config."
        Some(_)
            if request.options.tool_choice != ToolChoice::Auto
                || request.options.extra.contains_key(CHOICE) =>
        {
            return Err(encode_error("a tool choice beside the option `stored_cache`"));
        }
        Some(name) => fields.push((STORED_CACHE, Field::Text(name))),
    }
    config(options, request, &mut fields)?;
    fields.push((CONTENTS, Field::Contents([])));
    let merged = [CONFIG, CHOICE];
    let rest: Map<String, Value> = request
        .options
        .extra
        .iter()
        .filter(|(name, _)| !(merged.contains(&name.as_str()) && has(&fields, name)))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let head = Body(with_extra(fields, &rest, Field::Extra));
    let contents = |range| wire_contents(*rules, since_three, &request.messages, range);
    let body = if rest.contains_key(CONTENTS) {
        contents(0..request.messages.len())?;
        body.whole(serde_json::to_vec(&head)?.into())
    } else {
        body.finish(&head, &request.messages, contents)?
    };
    Ok(HttpRequest::post(path, body))
}

/// Appends the system prompt, the tools and the choice among them.
fn preamble<'a>(
    options: &'a GeminiOptions,
    request: &'a Request,
    fields: &mut Fields<'a>,
) -> Result<(), EncodeError> {
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        fields.push(("systemInstruction", Field::System(WireSystem { parts: [WireText { text: system }] })));
    }
    tools(options, request, fields)?;
    choice(options, request, fields)
}

fn has(fields: &Fields<'_>, name: &str) -> bool {
    fields.iter().any(|(known, _)| *known == name)
}

/// Returns the path, which contains the model: `gemini-…`, or a resource name with its own collection.
fn path(options: &GeminiOptions, request: &Request) -> Result<String, EncodeError> {
    let model = request.model.as_str();
    let is_legal =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@' | b'/');
    let is_segment = |segment: &str| !matches!(segment, "" | "." | "..");
    if !model.bytes().all(is_legal) || !model.split('/').all(is_segment) {
        return Err(encode_error(format!("the model name {model:?}")));
    }
    let collection = if model.contains('/') { "" } else { "models/" };
    let method = match (request.delivery, options.framing) {
        (Delivery::Whole, _) => "generateContent",
        (Delivery::Stream, StreamFraming::Events) => "streamGenerateContent?alt=sse",
        (Delivery::Stream, StreamFraming::Array) => "streamGenerateContent",
    };
    Ok(format!("/{collection}{model}:{method}"))
}

/// Returns true if the request asks for more than one answer.
pub(crate) fn several_candidates(request: &Request) -> bool {
    let config = request.options.extra.get(CONFIG);
    let count = config.and_then(|config| config.get("candidateCount")?.as_u64());
    count.is_some_and(|count| count > 1)
}

/// Appends `generationConfig`. The request's own members take precedence over the computed ones.
fn config<'a>(
    options: &GeminiOptions,
    request: &'a Request,
    fields: &mut Fields<'a>,
) -> Result<(), EncodeError> {
    let extra = match request.options.extra.get(CONFIG) {
        None => None,
        Some(Value::Object(extra)) => Some(extra),
        Some(_) => return Ok(()),
    };
    if several_candidates(request) {
        return Err(encode_error("more than one candidate"));
    }
    let mut config = Fields::new();
    parameters::encode(request, options.rules.applies_since_three(&request.model), &mut config)?;
    output(options, request, extra, &mut config)?;
    if let Some(extra) = extra {
        config = with_extra(config, extra, Field::Extra);
    }
    if !config.is_empty() {
        fields.push((CONFIG, Field::Object(config)));
    }
    Ok(())
}

/// Appends the format of the answer. A schema that the request has in the API's own dialect replaces the
/// computed one.
fn output<'a>(
    options: &GeminiOptions,
    request: &'a Request,
    extra: Option<&Map<String, Value>>,
    config: &mut Fields<'a>,
) -> Result<(), EncodeError> {
    let schema = match &request.output {
        OutputFormat::Text => return Ok(()),
        OutputFormat::Json => None,
        OutputFormat::Schema(schema) => Some(schema),
        _ => return Err(encode_error("the form of the answer")),
    };
    config.push(("responseMimeType", Field::Word("application/json")));
    let field = match options.schema_field {
        SchemaField::ParametersJsonSchema => RESPONSE_JSON_SCHEMA,
        SchemaField::Parameters => RESPONSE_SCHEMA,
    };
    let is_said = extra.is_some_and(|extra| extra.contains_key(RESPONSE_SCHEMA));
    if let Some(schema) = schema.filter(|_| !is_said) {
        config.push((field, Field::Raw(schema.schema.as_raw())));
    }
    Ok(())
}
