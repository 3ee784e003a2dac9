//! Finds the parts of a request that the Gemini API would refuse.

use serde_json::Value;
use windlass_protocol::{
    History, Message, OutputFormat, ParallelCalls, Part, Refusal, RefusalKind, Request, Role, ToolCall,
    ToolChoice, ToolSpec,
};
use windlass_wire::{EncodedHistory, RequestBody, RequestCheck};

use crate::call::SIGNATURE;
use crate::encode::{encode, several_candidates};
use crate::media::media_refusal;
use crate::names::{CONFIG, NAME, is_legal_name};
use crate::parameters::MISSING;
use crate::{GeminiOptions, Rules, hosted};

/// Returns all refusals, in the order of the request.
pub(crate) fn check(options: &GeminiOptions, request: &Request) -> Vec<Refusal> {
    let is_three = Rules::ByModel.applies_since_three(&request.model) || options.rules == Rules::SinceThree;
    let mut check = RequestCheck::new(request);
    check_parameters(&mut check, request);
    check_extra(&mut check, request, is_three);
    check_tools(&mut check, request, is_three);
    check.check_hosted_tools(request, hosted::definition);
    check_messages(&mut check, request);
    if options.rules == Rules::AsGiven && is_three {
        check_signatures(&mut check, &request.messages);
    }
    check.finish(|| encode(options, request, RequestBody::new(&mut EncodedHistory::new())))
}

fn check_parameters(check: &mut RequestCheck, request: &Request) {
    // API reference, GenerationConfig.temperature: "Values can range from [0.0, 2.0]".
    check.check_range("temperature", request.options.temperature, 2.0);
    check.check_range("top_p", request.options.top_p, 1.0);
    check.refuse_options(request, &MISSING);
    // API reference, GenerationConfig.stopSequences: "up to 5".
    let stops = request.options.stop_sequences.len();
    if stops > 5 {
        let what = format!("{stops} stop sequences, at most 5 are allowed");
        check.refuse(RefusalKind::Parameter, "stop_sequences", what);
    }
    if request.options.stop_sequences.iter().any(String::is_empty) {
        check.refuse(RefusalKind::Empty, "stop_sequences", "a stop sequence is empty");
    }
    if request.options.max_output_tokens == Some(0) {
        let what = "an answer needs at least one token";
        check.refuse(RefusalKind::Parameter, "max_output_tokens", what);
    }
    if several_candidates(request) {
        let what = "several candidates: the calls of one only could get their results";
        check.refuse(RefusalKind::Parameter, "extra.generationConfig.candidateCount", what);
    }
    // The API does not have such a switch and does not document that. Every call needs a result, so
    // surplus calls cannot be dropped.
    if request.options.parallel_calls == ParallelCalls::Forbid && !request.tools.is_empty() {
        let what = "this API has no switch for one call at the most";
        check.refuse(RefusalKind::Unsupported, "parallel_calls", what);
    }
}

/// Checks the fields of `extra`, which a `Request` does not have as fields of its own.
fn check_extra(check: &mut RequestCheck, request: &Request, is_three: bool) {
    let config = request.options.extra.get(CONFIG);
    let member = |name: &str| config.and_then(|config| config.get(name));
    check.check_range("extra.generationConfig.topP", member("topP").and_then(Value::as_f64), 1.0);
    // "You can only set only one of thinking budget and thinking level."
    let thinking = member("thinkingConfig");
    let is_set = |name: &str| thinking.is_some_and(|thinking| thinking.get(name).is_some());
    if is_set("thinkingBudget") && is_set("thinkingLevel") {
        let what = "a budget for thoughts and their level are set, one of them is taken";
        check.refuse(RefusalKind::Parameter, "extra.generationConfig.thinkingConfig", what);
    }
    // "CachedContent can not be used with GenerateContent request setting system_instruction, tools or
    // tool_config."
    let has_more = request.system.is_some()
        || !request.tools.is_empty()
        || !request.options.hosted_tools.is_empty()
        || request.options.extra.contains_key("toolConfig");
    if request.options.extra.contains_key("cachedContent") && has_more {
        let what = "cached content has its own system prompt and tools, the request cannot have its own";
        check.refuse(RefusalKind::Cache, "extra.cachedContent", what);
    }
    // The API before Gemini 3: "Function calling with a response mime type: 'application/json' is
    // unsupported".
    if request.output != OutputFormat::Text
        && !request.tools.is_empty()
        && !is_three
        && request.options.tool_choice != ToolChoice::None
    {
        let what = "an answer in JSON and functions do not go together before Gemini 3";
        check.refuse(RefusalKind::Parameter, "output", what);
    }
}

fn check_tools(check: &mut RequestCheck, request: &Request, is_three: bool) {
    // The API before Gemini 3: "Tool use with function calling is unsupported".
    if !request.tools.is_empty() && !request.options.hosted_tools.is_empty() && !is_three {
        let what = "functions and hosted tools do not go together before Gemini 3";
        check.refuse(RefusalKind::Parameter, "hosted_tools", what);
    }
    for (position, tool) in request.tools.iter().enumerate() {
        // "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9),
        // underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
        let rule = "a letter or _ and up to 63 letters, digits, _, ., : and -";
        check.check_tool_name(position, tool.name(), is_legal_name, rule);
        match tool {
            ToolSpec::Function { parameters, .. } => check_root(check, position, &parameters.to_value()),
            ToolSpec::Freeform { .. } => {
                let what = "this API has no tools that take free text";
                check.refuse(RefusalKind::Unsupported, format!("tools[{position}]"), what);
            }
            _ => {}
        }
    }
}

fn check_root(check: &mut RequestCheck, position: usize, schema: &Value) {
    // "functionDeclaration parameters schema should be of type OBJECT."
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    let is_empty = schema.is_null() || schema.as_object().is_some_and(serde_json::Map::is_empty);
    if !is_object && !is_empty && schema.get("$ref").is_none() {
        let what = "the schema's root needs the type object";
        check.refuse(RefusalKind::Schema, format!("tools[{position}].parameters"), what);
    }
}

fn check_messages(check: &mut RequestCheck, request: &Request) {
    let mut before: Option<&Message> = None;
    for (position, message) in request.messages.iter().enumerate() {
        let place = format!("messages[{position}]");
        // "Please ensure that function call turn comes immediately after a user turn or after a function response
        // turn."
        let follows = before.is_some_and(|before| before.role != Role::Assistant);
        if message.role == Role::Assistant && message.calls().next().is_some() && !follows {
            let what = "a turn with calls follows a turn of the user or of results";
            check.refuse(RefusalKind::Order, place.as_str(), what);
        }
        // "Unable to submit request because it must have a text parameter".
        check.refuse_empty_text(position, message);
        for (at, part) in message.parts.iter().enumerate() {
            check_part(check, &format!("{place}.parts[{at}]"), part);
        }
        before = Some(message);
    }
}

fn check_part(check: &mut RequestCheck, place: &str, part: &Part) {
    if let Some((kind, what)) = media_refusal(part) {
        check.refuse(kind, place, what);
    }
}

/// Checks signatures. The API: "Function call is missing a `thought_signature` in functionCall parts". Of
/// the calls since the user's last message, the first of each message needs one.
fn check_signatures(check: &mut RequestCheck, messages: &History) {
    let since = messages.iter().rposition(|message| message.role == Role::User).unwrap_or(0);
    for (position, message) in messages.iter().enumerate().skip(since) {
        let signed = |call: &ToolCall| {
            let fields = call.opaque.as_ref().and_then(|opaque| opaque.for_wire(NAME));
            fields.is_some_and(|fields| fields.get(SIGNATURE).is_some())
        };
        if message.calls().next().is_some_and(|call| !signed(call)) {
            let what = "the first call of the turn has no signature, which Gemini 3 requires";
            check.refuse(RefusalKind::Parameter, format!("messages[{position}]"), what);
        }
    }
}
