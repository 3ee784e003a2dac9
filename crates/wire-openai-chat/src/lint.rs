//! Finds the parts of a request that OpenAI, and most servers of its format, would refuse.

use windlass_protocol::{OutputFormat, OutputSchema, Refusal, RefusalKind, Request, Strictness, ToolSpec};
use windlass_wire::{EncodedHistory, RequestBody, RequestCheck};

use crate::encode::{self, several_answers};
use crate::media::media_refusal;
use crate::names::is_legal_name;
use crate::{OpenAiChatOptions, hosted};

/// Keywords that the root of a schema cannot have. The API: "schema must have type 'object' and not have
/// 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level". It accepts an empty schema.
const ROOT_WORDS: [&str; 5] = ["oneOf", "anyOf", "allOf", "enum", "not"];

/// Returns all refusals, in the order of the request.
pub(crate) fn check(options: &OpenAiChatOptions, request: &Request) -> Vec<Refusal> {
    let mut check = RequestCheck::new(request);
    check_parameters(&mut check, request);
    check_tools(&mut check, request);
    check.check_hosted_tools(request, |tool| hosted::definition(options, &request.model, tool));
    for (position, message) in request.messages.iter().enumerate() {
        check.check_media(position, message, media_refusal);
    }
    check.finish(|| encode::encode(options, request, RequestBody::new(&mut EncodedHistory::new())))
}

fn check_parameters(check: &mut RequestCheck, request: &Request) {
    // API reference, `temperature`: "between 0 and 2".
    if let Some(temperature) = request.options.temperature
        && !(0.0..=2.0).contains(&temperature)
    {
        let what = format!("the temperature is {temperature}, 0 to 2 is allowed");
        check.refuse(RefusalKind::Parameter, "temperature", what);
    }
    check.check_range("top_p", request.options.top_p, 1.0);
    // API reference, `stop`: "Up to 4 sequences".
    if request.options.stop_sequences.len() > 4 {
        let what = format!("{} stop sequences, at most 4 are allowed", request.options.stop_sequences.len());
        check.refuse(RefusalKind::Parameter, "stop_sequences", what);
    }
    if request.options.max_output_tokens == Some(0) {
        check.refuse(RefusalKind::Parameter, "max_output_tokens", "an answer needs at least one token");
    }
    if several_answers(request) {
        let what = "several answers to one request: the calls of one only could get their results";
        check.refuse(RefusalKind::Parameter, "extra.n", what);
    }
    match &request.output {
        OutputFormat::Schema(schema) => check_output_schema(check, schema),
        // "'messages' must contain the word 'json' in some form".
        OutputFormat::Json => check.require_word_json(request),
        _ => {}
    }
}

fn check_output_schema(check: &mut RequestCheck, schema: &OutputSchema) {
    // API reference, `json_schema.name`: "a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum
    // length of 64".
    if schema.name.is_empty() || !is_legal_name(&schema.name) {
        let what = format!("the schema's name {:?} is not 1 to 64 of A-Z, a-z, 0-9, _ and -", schema.name);
        check.refuse(RefusalKind::Name, "output.name", what);
    }
    // Structured outputs: "additionalProperties: false must always be set in objects" and "all fields must be
    // required".
    if schema.strict == Strictness::On {
        check.check_strict_root("output.schema", &schema.schema.to_value());
    }
}

fn check_tools(check: &mut RequestCheck, request: &Request) {
    // "Invalid 'tools': array too long. Expected an array with maximum length 128".
    check.check_tool_count(request, 128);
    for (position, tool) in request.tools.iter().enumerate() {
        check.check_tool_name(position, tool.name(), is_legal_name, "1 to 64 of A-Z, a-z, 0-9, _ and -");
        let ToolSpec::Function { parameters, strict, .. } = tool else { continue };
        let place = format!("tools[{position}].parameters");
        let schema = parameters.to_value();
        if schema.is_null() {
            continue;
        }
        // The API: "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'".
        check.check_root(&place, &schema, &ROOT_WORDS);
        if *strict == Strictness::On {
            check.check_strict_root(&place, &schema);
        }
    }
}
