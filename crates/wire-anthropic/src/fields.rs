//! The fields of a request's body that are built from several of its parts.

use std::borrow::Cow;

use serde_json::Value;
use windlass_protocol::{OutputFormat, Part, Request};
use windlass_wire::EncodeError;

use crate::names::encode_error;
use crate::request::{Ephemeral, Field, KnownBlock, WireBlock, WireFormat, WireOutput};
use crate::{parameters, parts};

/// Returns the `output_config` of the request: the amount of reasoning and the format of the answer, unless its `extra`
/// already sets them there or in the older field `output_format`.
pub(crate) fn output(request: &Request) -> Result<Option<WireOutput<'_>>, EncodeError> {
    let extra = &request.options.extra;
    let config = extra.get("output_config").and_then(Value::as_object);
    let is_said = |name: &str| config.is_some_and(|config| config.contains_key(name));
    let format = match &request.output {
        OutputFormat::Text => None,
        _ if is_said("format") || extra.contains_key("output_format") => None,
        OutputFormat::Schema(schema) => {
            Some(WireFormat { kind: "json_schema", schema: schema.schema.as_raw() })
        }
        OutputFormat::Json => return Err(encode_error("an answer of any JSON object; it takes a schema")),
        _ => return Err(encode_error("an output format of a newer kind")),
    };
    let effort = parameters::effort_word(request).filter(|_| !is_said("effort"));
    let is_needed = format.is_some() || effort.is_some();
    Ok(is_needed.then_some(WireOutput { more: config, effort, format }))
}

/// Returns the system prompt together with the leading system messages: one string, or blocks if there are
/// such messages or a marker to place.
pub(crate) fn system<'a>(
    request: &'a Request,
    prompt: Option<&'a str>,
    before: usize,
    marker: Option<Ephemeral>,
) -> Result<Option<Field<'a>>, EncodeError> {
    let prompt = prompt.filter(|system| !system.trim().is_empty());
    if before == 0 && marker.is_none() {
        return Ok(prompt.map(Field::Text));
    }
    let prompt = prompt.map(|text| WireBlock::from_known(KnownBlock::Text { text: text.into() }));
    let mut blocks: Vec<WireBlock<'_>> = prompt.into_iter().collect();
    for message in request.messages.iter().take(before) {
        // API reference: `system` consists of text blocks.
        if message.parts.iter().any(|part| matches!(part, Part::Image(_) | Part::File(_))) {
            return Err(encode_error("an image or a document in the system prompt"));
        }
        blocks.extend(parts::blocks(message)?);
    }
    if let (Some(marker), Some(last)) = (marker, blocks.last_mut()) {
        last.mark(marker);
    }
    // A single plain text is a string, as the server side reads it.
    if let [WireBlock::Known { block, more: None, cache_control: None }] = blocks.as_slice()
        && let KnownBlock::Text { text: Cow::Borrowed(text) } = block
    {
        return Ok(Some(Field::Text(text)));
    }
    Ok((!blocks.is_empty()).then_some(Field::System(blocks)))
}
