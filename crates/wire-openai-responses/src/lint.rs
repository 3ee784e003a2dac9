//! Finds the parts of a request that OpenAI would refuse in this API.

use serde_json::Value;
use windlass_protocol::{
    Grammar, OutputFormat, OutputSchema, Refusal, RefusalKind, Request, Strictness, ToolSpec,
};
use windlass_wire::{EncodedHistory, RequestBody, RequestCheck};

use crate::encode::{encode, several_answers};
use crate::media::media_refusal;
use crate::names::is_legal_name;
use crate::parameters::MISSING;
use crate::{OpenAiResponsesOptions, hosted};

/// Keywords that the root of a schema cannot have. The API: "schema must have type 'object' and not have
/// 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level". It accepts an empty schema.
const ROOT_WORDS: [&str; 5] = ["oneOf", "anyOf", "allOf", "enum", "not"];

/// Returns all refusals, in the order of the request.
pub(crate) fn check(options: &OpenAiResponsesOptions, request: &Request) -> Vec<Refusal> {
    let mut check = RequestCheck::new(request);
    check_parameters(&mut check, request);
    check_extra(&mut check, request);
    check_output(&mut check, request);
    check_tools(&mut check, request);
    check.check_hosted_tools(request, hosted::definition);
    check_messages(&mut check, request);
    check.finish(|| encode(options, request, RequestBody::new(&mut EncodedHistory::new())))
}

fn check_parameters(check: &mut RequestCheck, request: &Request) {
    // API reference, `temperature`: "between 0 and 2".
    check.check_range("temperature", request.options.temperature, 2.0);
    // "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16".
    if let Some(tokens) = request.options.max_output_tokens.filter(|tokens| *tokens < 16) {
        let what = format!("at most {tokens} tokens are requested, the API accepts 16 and more");
        check.refuse(RefusalKind::Parameter, "max_output_tokens", what);
    }
    check.check_range("top_p", request.options.top_p, 1.0);
    // The API reference does not have the parameters `stop`, `seed` and `n`.
    check.refuse_options(request, &MISSING);
    if several_answers(request) {
        check.refuse(RefusalKind::Parameter, "extra.n", "this API gives one answer to a request");
    }
}

/// Checks the fields of `extra`, which a `Request` does not have as fields of its own.
fn check_extra(check: &mut RequestCheck, request: &Request) {
    let extra = &request.options.extra;
    check.check_range("extra.top_p", extra.get("top_p").and_then(Value::as_f64), 1.0);
    // API reference, `top_logprobs`: "An integer between 0 and 20".
    check.check_range("extra.top_logprobs", extra.get("top_logprobs").and_then(Value::as_f64), 20.0);
    // Guide to the background mode: "Background mode requires `store=true`".
    let is = |name: &str, value: bool| extra.get(name) == Some(&Value::Bool(value));
    if is("background", true) && is("store", false) {
        let what = "an answer in the background has to be stored";
        check.refuse(RefusalKind::Parameter, "extra.background", what);
    }
    // API reference, `previous_response_id`: "Cannot be used in conjunction with `conversation`".
    let is_given = |name: &str| extra.get(name).is_some_and(|value| !value.is_null());
    if is_given("previous_response_id") && is_given("conversation") {
        let what = "an answer follows a response or belongs to a conversation, not both";
        check.refuse(RefusalKind::Parameter, "extra.conversation", what);
    }
    // API reference, `metadata`: "Set of 16 key-value pairs … Keys are strings with a maximum length of 64
    // characters. Values are strings with a maximum length of 512 characters."
    let metadata = extra.get("metadata").and_then(Value::as_object);
    if metadata.is_some_and(|pairs| pairs.len() > 16) {
        check.refuse(RefusalKind::Parameter, "extra.metadata", "at most 16 pairs are allowed");
    }
    for (name, value) in metadata.into_iter().flatten() {
        if name.chars().count() > 64 || value.as_str().is_some_and(|value| value.chars().count() > 512) {
            let what = "names have at most 64 characters, values at most 512";
            check.refuse(RefusalKind::Parameter, format!("extra.metadata.{name}"), what);
        }
    }
}

fn check_output(check: &mut RequestCheck, request: &Request) {
    match &request.output {
        OutputFormat::Schema(schema) => check_output_schema(check, schema),
        // "Response input messages must contain the word 'json' in some form to use 'text.format' of type
        // 'json_object'."
        OutputFormat::Json => check.require_word_json(request),
        _ => {}
    }
}

fn check_output_schema(check: &mut RequestCheck, schema: &OutputSchema) {
    // API reference, `name`: "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length
    // of 64."
    if schema.name.is_empty() || !is_legal_name(&schema.name) {
        let what = format!("the name {:?} is not 1 to 64 of A-Z, a-z, 0-9, _ and -", schema.name);
        check.refuse(RefusalKind::Name, "output.name", what);
    }
    let value = schema.schema.to_value();
    check.check_root("output.schema", &value, &ROOT_WORDS);
    // Structured outputs: "additionalProperties: false must always be set in objects" and "all fields must be
    // required".
    if schema.strict == Strictness::On {
        check.check_strict_root("output.schema", &value);
    }
}

fn check_tools(check: &mut RequestCheck, request: &Request) {
    // "Invalid 'tools': array too long. Expected an array with maximum length 128".
    check.check_tool_count(request, 128);
    for (position, tool) in request.tools.iter().enumerate() {
        // "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern
        // '^[a-zA-Z0-9_-]+$'".
        check.check_tool_name(position, tool.name(), is_legal_name, "1 to 64 of A-Z, a-z, 0-9, _ and -");
        match tool {
            ToolSpec::Function { parameters, strict, .. } => {
                let (place, schema) = (format!("tools[{position}].parameters"), parameters.to_value());
                // A null schema is a function without parameters.
                if !schema.is_null() {
                    check.check_root(&place, &schema, &ROOT_WORDS);
                }
                if *strict == Strictness::On {
                    check.check_strict_root(&place, &schema);
                }
            }
            ToolSpec::Freeform { grammar: Some(grammar), .. } => check_grammar(check, position, grammar),
            _ => {}
        }
    }
}

/// Checks a grammar. Guide to function calling: the definition must not be empty.
fn check_grammar(check: &mut RequestCheck, position: usize, grammar: &Grammar) {
    if grammar.text().trim().is_empty() {
        check.refuse(RefusalKind::Schema, format!("tools[{position}].grammar"), "the grammar is empty");
    }
}

fn check_messages(check: &mut RequestCheck, request: &Request) {
    for (position, message) in request.messages.iter().enumerate() {
        check.check_media(position, message, media_refusal);
        check.refuse_empty_text(position, message);
    }
}
