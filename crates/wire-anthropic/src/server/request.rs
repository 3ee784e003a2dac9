//! Decodes a client's request.

use serde_json::Value;
use windlass_protocol::{Delivery, Message, OutputFormat, OutputSchema, Part, Request, Role};
use windlass_wire::{DecodedRequest, Fields, Framing, RequestError, replace_lone_surrogates};

use crate::names::NAME;
use crate::server::{blocks, messages, tools};

pub(crate) fn serves(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    // OpenAI has messages of threads and of stored completions, and Anthropic has reports about messages.
    let others = ["/threads/", "/completions/", "/organizations/"];
    path.ends_with("/messages") && !others.iter().any(|other| path.contains(other))
}

pub(crate) fn decode_request(path: &str, body: &[u8]) -> Result<DecodedRequest, RequestError> {
    if !serves(path) {
        return Err(RequestError::Path { wire: NAME, path: path.to_owned() });
    }
    let text = windlass_wire::decode_text(body);
    let text = text.trim_start_matches('\u{feff}');
    match replace_lone_surrogates(text) {
        Some(repaired) => read(&repaired),
        None => read(text),
    }
}

fn read(text: &str) -> Result<DecodedRequest, RequestError> {
    let mut fields = Fields::parse("", text)?;
    let model = fields.take_required_text("model")?;
    let Some(items) = fields.list("messages")? else {
        return Err(fields.wrong("messages", "expected a list"));
    };
    let (system, mut conversation) = system(&mut fields)?;
    messages::read(items, &mut conversation)?;
    let mut request = Request::new(model, conversation);
    request.system = system;
    request.options.max_output_tokens = fields.count("max_tokens")?;
    if request.options.max_output_tokens.is_none() {
        return Err(fields.wrong("max_tokens", "expected a whole number"));
    }
    request.delivery = if fields.flag("stream")? == Some(true) { Delivery::Stream } else { Delivery::Whole };
    request.options.temperature = fields.number("temperature")?;
    request.options.stop_sequences = match fields.value("stop_sequences")? {
        None => Vec::new(),
        Some(list) => serde_json::from_value(list)
            .map_err(|_| fields.wrong("stop_sequences", "expected a list of texts"))?,
    };
    tools::read(&mut fields, &mut request)?;
    output(&mut fields, &mut request)?;
    request.options.extra.extend(fields.rest());
    let framing = if request.delivery == Delivery::Stream { Framing::Events } else { Framing::Whole };
    Ok(DecodedRequest::new(request, framing))
}

/// Takes the system prompt: a single plain text as a string, anything else as a system message before all
/// others.
fn system(fields: &mut Fields<'_>) -> Result<(Option<String>, Vec<Message>), RequestError> {
    let mut parts = blocks::read(fields, "system")?;
    if parts.is_empty() {
        return Ok((None, Vec::new()));
    }
    Ok(match parts.as_mut_slice() {
        [Part::Text(text)] if text.opaque.is_none() => (Some(std::mem::take(&mut text.text)), Vec::new()),
        _ => (None, vec![Message::new(Role::System, parts)]),
    })
}

/// Takes the format of the answer from `output_config`, or from `output_format`, its name during the beta.
fn output(fields: &mut Fields<'_>, request: &mut Request) -> Result<(), RequestError> {
    let older = fields.peek("output_format");
    if let (Some(mut format), Some(raw)) = (fields.object("output_format")?, older) {
        request.output = schema(&mut format)?;
        request.options.extra.insert("output_format".to_owned(), serde_json::from_str(raw.get())?);
    }
    if let Some(mut config) = fields.object("output_config")? {
        if let Some(mut format) = config.object("format")? {
            request.output = schema(&mut format)?;
        }
        let rest = config.rest();
        if !rest.is_empty() {
            request.options.extra.insert("output_config".to_owned(), Value::Object(rest));
        }
    }
    Ok(())
}

fn schema(format: &mut Fields<'_>) -> Result<OutputFormat, RequestError> {
    if format.take_required_text("type")? != "json_schema" {
        return Err(format.wrong("type", "expected json_schema"));
    }
    let Some(raw) = format.raw("schema") else {
        return Err(format.wrong("schema", "expected an object"));
    };
    // This API does not name schemas; other formats require a name.
    Ok(OutputFormat::Schema(OutputSchema::new("answer", raw.get().parse()?)))
}
