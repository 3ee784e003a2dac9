//! Encodes the body of a request: the fields have a fixed order, and `messages` comes last (RULES N6).

use serde::{Serialize, Serializer};
use serde_json::Value;
use windlass_protocol::{Delivery, OutputFormat, Request, ToolSpec};
use windlass_wire::{EncodeError, HttpRequest, RequestBody, check_pairing_from, with_extra};

use crate::messages::{prompt, wire_messages};
use crate::names::{NAME, encode_error, is_legal_name};
use crate::request::{Field, WireOutput, WireSchema, WireStreamOptions};
use crate::{OpenAiChatOptions, StreamUsage, parameters, tools};

/// The body's fields in the order in which they are serialized.
struct Body<'a>(Vec<(&'a str, Field<'a>)>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

pub(crate) fn encode(
    options: &OpenAiChatOptions,
    request: &Request,
    mut body: RequestBody<'_>,
) -> Result<HttpRequest, EncodeError> {
    let OpenAiChatOptions { system_role, call_ids, thoughts, thoughts_field, .. } = options;
    let prompt = prompt(options, request);
    let has_prompt = prompt.is_some();
    let key =
        format_args!("{NAME} {system_role:?} {call_ids:?} {thoughts:?} {thoughts_field:?} {has_prompt}");
    let start = body.resume(key, &request.messages, |_| true);
    check_pairing_from(&request.messages, start)?;
    check_names(&request.tools)?;
    if several_answers(request) {
        return Err(encode_error("several answers to one request (`n`): one is read"));
    }
    if request.options.stored_cache.is_some() {
        return Err(encode_error("the option `stored_cache`"));
    }
    let mut fields = vec![("model", Field::Text(&request.model))];
    parameters::encode(options, request, &mut fields);
    if request.delivery == Delivery::Stream {
        fields.push(("stream", Field::Flag(true)));
        if options.stream_usage == StreamUsage::Ask {
            fields.push(("stream_options", Field::StreamOptions(WireStreamOptions { include_usage: true })));
        }
    }
    fields.extend(output(&request.output)?.map(|output| ("response_format", Field::Output(output))));
    tools::encode(options, request, &mut fields)?;
    fields.push((MESSAGES, Field::Messages(prompt.into_iter().collect())));
    let head = Body(with_extra(fields, &request.options.extra, Field::Extra));
    let body = if request.options.extra.contains_key(MESSAGES) {
        wire_messages(options, &request.messages, 0..request.messages.len())?;
        body.whole(serde_json::to_vec(&head)?.into())
    } else {
        body.finish(&head, &request.messages, |range| wire_messages(options, &request.messages, range))?
    };
    Ok(HttpRequest::post("/chat/completions", body))
}

/// The name of the body's field for the conversation.
const MESSAGES: &str = "messages";

/// Returns true if the request asks for more than one answer. Only the first could be read.
pub(crate) fn several_answers(request: &Request) -> bool {
    request.options.extra.get("n").and_then(Value::as_u64).is_some_and(|answers| answers > 1)
}

fn output(format: &OutputFormat) -> Result<Option<WireOutput<'_>>, EncodeError> {
    Ok(match format {
        OutputFormat::Text => None,
        OutputFormat::Json => Some(WireOutput::JsonObject),
        OutputFormat::Schema(schema) => Some(WireOutput::JsonSchema {
            json_schema: WireSchema {
                name: &schema.name,
                description: schema.description.as_deref(),
                schema: schema.schema.as_raw(),
                strict: schema.strict.as_flag(),
            },
        }),
        _ => return Err(encode_error("an output format of a newer kind")),
    })
}

/// Checks tool names against the provider's rule: at most 64 letters, digits, `_` and `-`.
fn check_names(tools: &[ToolSpec]) -> Result<(), EncodeError> {
    match tools.iter().find(|tool| !is_legal_name(tool.name().as_str())) {
        None => Ok(()),
        Some(tool) => Err(encode_error(format!("the tool name {:?}", tool.name().as_str()))),
    }
}
