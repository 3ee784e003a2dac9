//! Finds the parts of a request that the API would refuse.

use serde_json::Value;
use windlass_protocol::{
    Message, Part, Refusal, RefusalKind, Request, Role, ToolChoice, ToolResult, ToolSpec,
};
use windlass_wire::{EncodedHistory, RequestBody, RequestCheck};

use crate::cache::{MOST, own_markers};
use crate::media::media_refusal;
use crate::names::{NAME, is_legal_name};
use crate::parameters::{LEAST_BUDGET, MISSING, output_limit, unknown_label};
use crate::request::WireThinking;
use crate::{AnthropicOptions, encode, hosted, marks, parameters};

/// Returns all refusals, in the order of the request.
pub(crate) fn check(options: &AnthropicOptions, request: &Request) -> Vec<Refusal> {
    let mut check = RequestCheck::new(request);
    check_parameters(&mut check, options, request);
    check_tools(&mut check, request);
    check.check_hosted_tools(request, |tool| hosted::definition(options, &request.model, tool));
    check_messages(&mut check, request);
    check.finish(|| encode::encode(options, request, RequestBody::new(&mut EncodedHistory::new())))
}

fn check_parameters(check: &mut RequestCheck, options: &AnthropicOptions, request: &Request) {
    let extra = |name: &str| request.options.extra.get(name);
    // Messages API, `temperature`: "Ranges from 0.0 to 1.0".
    if let Some(temperature) = request.options.temperature
        && !(0.0..=1.0).contains(&temperature)
    {
        let what = format!("the temperature is {temperature}, 0 to 1 is allowed");
        check.refuse(RefusalKind::Parameter, "temperature", what);
    }
    // Messages API, `max_tokens`: at least 1.
    let tokens = output_limit(options, &request.options);
    if tokens == 0 {
        check.refuse(RefusalKind::Parameter, "max_output_tokens", "an answer needs at least one token");
    }
    // Messages API: "stop_sequences: each stop sequence must contain non-whitespace".
    for (position, text) in request.options.stop_sequences.iter().enumerate() {
        if text.trim().is_empty() {
            let what = "a stop sequence needs something other than white space";
            check.refuse(RefusalKind::Parameter, format!("stop_sequences[{position}]"), what);
        }
    }
    if extra("n").and_then(Value::as_u64).is_some_and(|answers| answers > 1) {
        check.refuse(RefusalKind::Parameter, "extra.n", "this API gives one answer to a request");
    }
    // Prompt caching: "You can define up to 4 cache breakpoints"; the field of the body counts as one.
    let markers = own_markers(request);
    if markers > MOST {
        let what = format!("{markers} cache markers, at most {MOST} are allowed");
        check.refuse(RefusalKind::Cache, "", what);
    }
    check.refuse_options(request, &MISSING);
    if let Some(name) = unknown_label(&request.options) {
        let what = format!("this API does not have the label `{name}`, only `user_id`");
        check.refuse(RefusalKind::Parameter, "metadata", what);
    }
    check.check_range("top_p", request.options.top_p, 1.0);
    if let Some(option) = parameters::unknown_sampling(options, &request.options) {
        let name = option.name();
        let what = format!("version {} of this API does not have the option `{name}`", options.version);
        check.refuse(RefusalKind::Parameter, name, what);
    }
    check_thinking(check, options, request, tokens);
}

/// Extended thinking, "Feature compatibility" and "Max tokens".
fn check_thinking(check: &mut RequestCheck, options: &AnthropicOptions, request: &Request, tokens: u64) {
    let asked = &request.options;
    let (place, budget) = match (asked.extra.get("thinking"), parameters::thinking(options, request)) {
        (Some(thinking), _) if thinking.get("type").is_none_or(|kind| kind == "disabled") => return,
        (Some(thinking), _) => {
            ("extra.thinking.budget_tokens", thinking.get("budget_tokens").and_then(Value::as_u64))
        }
        (None, Some(WireThinking::Enabled { budget_tokens })) => ("reasoning", Some(budget_tokens)),
        (None, Some(WireThinking::Adaptive)) => ("reasoning", None),
        (None, None) => return,
    };
    // "Thinking isn't compatible with forced tool use."
    if matches!(asked.tool_choice, ToolChoice::Required | ToolChoice::Named(_)) {
        check.refuse(
            RefusalKind::Parameter,
            "tool_choice",
            "a call cannot be demanded while thinking is enabled",
        );
    }
    // "Thinking isn't compatible with temperature or top_k modifications"; 1 is the default and is taken.
    if asked.temperature.is_some_and(|temperature| (temperature - 1.0).abs() > f64::EPSILON) {
        let what = "the temperature can only be 1 while thinking is enabled";
        check.refuse(RefusalKind::Parameter, "temperature", what);
    }
    let Some(budget) = budget else { return };
    // "The minimum budget is 1,024 tokens", and it "must be set to a value less than max_tokens".
    if budget < LEAST_BUDGET {
        let what = format!("a budget of {budget} tokens, at least {LEAST_BUDGET} are taken");
        check.refuse(RefusalKind::Parameter, place, what);
    }
    if budget >= tokens {
        let what = format!("a budget of {budget} tokens does not fit in an answer of {tokens}");
        check.refuse(RefusalKind::Parameter, place, what);
    }
}

fn check_tools(check: &mut RequestCheck, request: &Request) {
    for (position, tool) in request.tools.iter().enumerate() {
        let ToolSpec::Function { name, parameters, .. } = tool else { continue };
        check.check_tool_name(position, name, is_legal_name, "1 to 128 of A-Z, a-z, 0-9, _ and -");
        let (place, schema) = (format!("tools[{position}].parameters"), parameters.to_value());
        // "tools.0.custom.input_schema.type: Field required", and it must be `object`.
        if schema.get("type").is_none_or(|kind| kind != "object") {
            let what = "the schema's root needs the type object";
            check.refuse(RefusalKind::Schema, place.as_str(), what);
        }
        // "input_schema does not support oneOf, allOf, or anyOf at the top level".
        check.refuse_root_words(&place, &schema, &["oneOf", "allOf", "anyOf"]);
    }
}

fn check_messages(check: &mut RequestCheck, request: &Request) {
    let system = request.messages.iter().take_while(|message| message.role == Role::System).count();
    let mut spoken = request.messages.iter().enumerate().skip(system).peekable();
    // "messages: first message must use the "user" role".
    if let Some((position, first)) = spoken.peek()
        && first.role == Role::Assistant
    {
        check.refuse(
            RefusalKind::Order,
            format!("messages[{position}]"),
            "the first message has to be the user's",
        );
    }
    let last = request.messages.len().saturating_sub(1);
    for (position, message) in spoken {
        for (at, part) in message.parts.iter().enumerate() {
            check_part(check, message, &format!("messages[{position}].parts[{at}]"), part);
        }
        if message.role == Role::Assistant && position == last {
            check_prefill(check, request, position, message);
        }
        refuse_silence(check, position, message);
    }
}

/// Refuses a message without visible text. The API: "messages: all messages must have non-empty content
/// except for the optional final assistant message".
fn refuse_silence(check: &mut RequestCheck, position: usize, message: &Message) {
    let is_silent = |part: &Part| match part {
        Part::Text(text) => text.text.trim().is_empty(),
        _ => false,
    };
    let is_user = matches!(message.role, Role::User | Role::System);
    if is_user && !message.parts.is_empty() && message.parts.iter().all(is_silent) {
        let what = "the message has no text, and the API requires text";
        check.refuse(RefusalKind::Empty, format!("messages[{position}]"), what);
    }
}

/// Checks a final assistant message, which the API takes as the beginning of the answer.
fn check_prefill(check: &mut RequestCheck, request: &Request, position: usize, message: &Message) {
    let place = format!("messages[{position}]");
    match message.parts.last() {
        // "messages: final assistant content cannot end with trailing whitespace".
        Some(Part::Text(text)) if text.text.ends_with(char::is_whitespace) => {
            let what = "the last message is the assistant's and ends with white space";
            check.refuse(RefusalKind::Order, place.as_str(), what);
        }
        // "The final block in an assistant message cannot be `thinking`".
        Some(Part::Reasoning(thoughts)) if thoughts.opaque.is_some() => {
            let what = "the last message is the assistant's and ends with thoughts";
            check.refuse(RefusalKind::Order, place.as_str(), what);
        }
        _ => {}
    }
    // Extended thinking: "you cannot pre-fill responses".
    let thinking = request.options.extra.get("thinking").and_then(|thinking| thinking.get("type"));
    if thinking.is_some_and(|kind| kind != "disabled") && message.calls().next().is_none() {
        let what = "an answer cannot be begun while thinking is enabled";
        check.refuse(RefusalKind::Order, place, what);
    }
}

fn check_part(check: &mut RequestCheck, message: &Message, place: &str, part: &Part) {
    match part {
        // The API: "messages.1.content.0: Expected `thinking` or `redacted_thinking`, but found
        // `tool_use`". The thinking of an answer comes before its calls.
        Part::Reasoning(thoughts) if thoughts.opaque.is_some() => {
            let before = message.parts.iter().take_while(|other| !std::ptr::eq(*other, part));
            if before.into_iter().any(|part| matches!(part, Part::Call(_))) {
                check.refuse(RefusalKind::Order, place, "thoughts follow a call of the same message");
            }
        }
        Part::Result(result) => check_error_result(check, place, result),
        part => {
            if let Some(what) = media_refusal(message.role, part) {
                check.refuse(RefusalKind::Unsupported, place, what);
            }
        }
    }
}

/// Checks the result of a failed call. The API: "`messages.2.content.0.tool_result`: all content must be
/// type `text` if `is_error` is true". Only a list that a client wrote can have other content, and that
/// list is sent unchanged.
fn check_error_result(check: &mut RequestCheck, place: &str, result: &ToolResult) {
    let list =
        result.opaque.as_ref().and_then(|opaque| opaque.for_wire(NAME)?.get(marks::CONTENT)?.as_array());
    let is_text = |block: &Value| block.get("type").is_some_and(|kind| kind == "text");
    if !result.status.is_ok() && list.is_some_and(|list| !list.iter().all(is_text)) {
        let what = "a result that is an error has something other than text";
        check.refuse(RefusalKind::Unsupported, place, what);
    }
}
