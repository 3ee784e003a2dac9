//! Encodes the body of a request: the fields have a fixed order, and `messages` comes last (RULES N6).

use serde::{Serialize, Serializer};
use serde_json::Value;
use windlass_protocol::{Delivery, OutputFormat, Request, Role};
use windlass_wire::{EncodeError, HttpRequest, RequestBody, check_pairing_from, with_extra};

use crate::cache::{markers_beside, markers_in_message};
use crate::messages::wire_messages;
use crate::names::{NAME, encode_error};
use crate::parts::has_blocks;
use crate::request::{Ephemeral, Field, KnownBlock, WireBlock, WireFormat, WireOutput};
use crate::{AnthropicOptions, Caching, parts, tools};

/// The body's fields in the order in which they are serialized.
struct Body<'a>(Vec<(&'a str, Field<'a>)>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The name of the body's field for the conversation.
const MESSAGES: &str = "messages";

pub(crate) fn encode(
    options: &AnthropicOptions,
    request: &Request,
    mut body: RequestBody<'_>,
) -> Result<HttpRequest, EncodeError> {
    // System messages before all others belong to the system prompt.
    let before = request.messages.iter().take_while(|message| message.role == Role::System).count();
    let start = body.resume(format_args!("{NAME} {before}"), &request.messages, has_blocks);
    check_pairing_from(&request.messages, start)?;
    // Do not add markers to a request that places its own.
    let is_marked = options.caching != Caching::AsMarked
        && body.tally(&request.messages, markers_in_message) == 0
        && markers_beside(request) == 0;
    let marker = is_marked.then_some(Ephemeral {});
    let tokens = request.max_output_tokens.unwrap_or(options.default_max_tokens);
    let mut fields = vec![("model", Field::Text(&request.model)), ("max_tokens", Field::Count(tokens))];
    if let Some(temperature) = request.temperature {
        fields.push(("temperature", Field::Float(temperature)));
    }
    if !request.stop_sequences.is_empty() {
        fields.push(("stop_sequences", Field::Texts(&request.stop_sequences)));
    }
    if request.delivery == Delivery::Stream {
        fields.push(("stream", Field::Flag(true)));
    }
    if options.caching == Caching::Conversation {
        fields.extend(marker.map(|marker| ("cache_control", Field::Marker(marker))));
    }
    let output = output(request)?;
    if let Some(config) = &output {
        fields.push(("output_config", Field::Output(config.clone())));
    }
    tools::encode(request, marker, &mut fields)?;
    fields.extend(system(request, before, marker)?.map(|system| ("system", system)));
    fields.push((MESSAGES, Field::Messages([])));
    let mut fields = with_extra(fields, &request.extra, Field::Extra);
    if let Some(config) = output {
        // `extra` may have replaced `output_config`; put the merged value back, which holds the request's own
        // fields beside the format.
        for (name, field) in &mut fields {
            if *name == "output_config" {
                *field = Field::Output(config.clone());
            }
        }
    }
    let messages = |range| wire_messages(&request.messages, before, range);
    let body = if request.extra.contains_key(MESSAGES) {
        messages(0..request.messages.len())?;
        body.whole(serde_json::to_vec(&Body(fields))?.into())
    } else {
        body.finish(&Body(fields), &request.messages, messages)?
    };
    let http =
        HttpRequest::post("/v1/messages", body).with_header("anthropic-version", options.version.as_str());
    if options.betas.is_empty() {
        return Ok(http);
    }
    Ok(http.with_header("anthropic-beta", options.betas.join(",")))
}

/// Returns the `output_config` of the request, or `None` if its `extra` already sets the format there or in
/// the older field `output_format`.
fn output(request: &Request) -> Result<Option<WireOutput<'_>>, EncodeError> {
    let config = request.extra.get("output_config").and_then(Value::as_object);
    let is_said = request.extra.contains_key("output_format")
        || config.is_some_and(|config| config.contains_key("format"));
    match &request.output {
        OutputFormat::Text => Ok(None),
        _ if is_said => Ok(None),
        OutputFormat::Schema(schema) => {
            let format = WireFormat { kind: "json_schema", schema: schema.schema.as_raw() };
            Ok(Some(WireOutput { more: config, format }))
        }
        OutputFormat::Json => Err(encode_error("an answer of any JSON object; it takes a schema")),
        _ => Err(encode_error("an output format of a newer kind")),
    }
}

/// Returns the system prompt together with the leading system messages: one string, or blocks if there are
/// such messages or a marker to place.
fn system(
    request: &Request,
    before: usize,
    marker: Option<Ephemeral>,
) -> Result<Option<Field<'_>>, EncodeError> {
    let prompt = request.system.as_deref().filter(|system| !system.trim().is_empty());
    if before == 0 && marker.is_none() {
        return Ok(prompt.map(Field::Text));
    }
    let prompt = prompt.map(|text| WireBlock::from_known(KnownBlock::Text { text: text.into() }));
    let mut blocks: Vec<WireBlock<'_>> = prompt.into_iter().collect();
    for message in request.messages.iter().take(before) {
        blocks.extend(parts::blocks(message)?);
    }
    if let (Some(marker), Some(last)) = (marker, blocks.last_mut()) {
        last.mark(marker);
    }
    Ok((!blocks.is_empty()).then_some(Field::System(blocks)))
}
