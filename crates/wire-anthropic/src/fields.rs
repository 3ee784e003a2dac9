//! The fields of a request's body that are built from several of its parts.

use serde_json::Value;
use windlass_protocol::{OutputFormat, Request};
use windlass_wire::EncodeError;

use crate::names::encode_error;
use crate::parts;
use crate::request::{Ephemeral, Field, KnownBlock, WireBlock, WireFormat, WireOutput};

/// Returns the `output_config` of the request, or `None` if its `extra` already sets the format there or in
/// the older field `output_format`.
pub(crate) fn output(request: &Request) -> Result<Option<WireOutput<'_>>, EncodeError> {
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
pub(crate) fn system(
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
