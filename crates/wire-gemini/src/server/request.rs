//! Decodes a client's request.

use serde_json::Map;
use serde_json::value::RawValue;
use windlass_protocol::{Delivery, OutputFormat, OutputSchema, RawJson, Request};
use windlass_wire::{DecodedRequest, Fields, Framing, Outline, RequestError, replace_lone_surrogates};

use crate::names::{CONFIG, NAME, RESPONSE_JSON_SCHEMA, RESPONSE_SCHEMA};
use crate::server::fields::{camel, count, fields, list, object, value};
use crate::server::messages::messages;
use crate::server::schema::json_schema;
use crate::server::tools::{choice, tools};

/// The content of the path: the model and the framing of the answer.
struct Address<'a> {
    model: &'a str,
    framing: Framing,
}

/// Returns the model and the framing that a path names, or `None` for a path of another API.
pub(crate) fn outline(path: &str) -> Option<Outline> {
    address(path).map(|address| Outline::new(address.model, address.framing))
}

/// Decodes the path and the body of a request.
pub(crate) fn decode_request(path: &str, body: &[u8]) -> Result<DecodedRequest, RequestError> {
    let Some(address) = address(path) else {
        return Err(RequestError::Path { wire: NAME, path: path.to_owned() });
    };
    let text = windlass_wire::decode_text(body);
    let text = text.trim_start_matches('\u{feff}');
    // Clients forward the model's text, including lone surrogates.
    match replace_lone_surrogates(text) {
        Some(repaired) => read(&address, &repaired),
        None => read(&address, text),
    }
}

fn address(path: &str) -> Option<Address<'_>> {
    let (bare, query) = path.split_once('?').unwrap_or((path, ""));
    let bare = bare.trim_start_matches('/');
    // Some clients include the version in the path.
    let is_version = |segment: &str| {
        segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    };
    let bare = bare.split_once('/').filter(|(first, _)| is_version(first)).map_or(bare, |(_, rest)| rest);
    let (resource, method) = bare.rsplit_once(':')?;
    let framing = match method {
        "generateContent" => Framing::Whole,
        "streamGenerateContent" if query.split('&').any(|pair| pair == "alt=sse") => Framing::Events,
        "streamGenerateContent" => Framing::Array,
        _ => return None,
    };
    let model = match resource.strip_prefix("models/") {
        Some(model) if !model.contains('/') => model,
        _ => resource,
    };
    (!model.is_empty()).then_some(Address { model, framing })
}

fn read(address: &Address<'_>, text: &str) -> Result<DecodedRequest, RequestError> {
    let mut body = Fields::parse("", text)?.rename_fields(camel);
    let mut request = Request::new(address.model, messages(list(&mut body, "contents")?)?);
    if address.framing == Framing::Whole {
        request.delivery = Delivery::Whole;
    }
    system(&mut request, &mut body)?;
    tools(&mut request, &mut body)?;
    choice(&mut request, &mut body)?;
    config(&mut request, &mut body)?;
    // The model is taken from the path.
    body.raw("model");
    request.options.extra.extend(body.rest());
    Ok(DecodedRequest::new(request, address.framing))
}

/// Takes the system prompt. A prompt of several parts, or with other parts than text, is also kept unchanged
/// in `extra`.
fn system(request: &mut Request, body: &mut Fields<'_>) -> Result<(), RequestError> {
    let Some(raw) = body.peek("systemInstruction") else { return Ok(()) };
    let Some(mut content) = object(body, "systemInstruction")? else { return Ok(()) };
    let (mut texts, mut is_plain) = (Vec::new(), true);
    for (place, part) in list(&mut content, "parts")? {
        let mut part = fields(place, part)?;
        texts.extend(part.text("text")?);
        is_plain &= part.rest().is_empty();
    }
    if !(is_plain && texts.len() == 1) {
        request.options.extra.insert("systemInstruction".to_owned(), value("systemInstruction", raw)?);
    }
    if !texts.is_empty() {
        request.system = Some(texts.join("\n"));
    }
    Ok(())
}

/// Takes `generationConfig`.
fn config(request: &mut Request, body: &mut Fields<'_>) -> Result<(), RequestError> {
    let Some(mut config) = object(body, CONFIG)? else { return Ok(()) };
    request.options.temperature = config.number("temperature")?;
    request.options.max_output_tokens = count(&mut config, "maxOutputTokens")?;
    for (place, stop) in list(&mut config, "stopSequences")? {
        let stop = serde_json::from_str(stop.get());
        request.options.stop_sequences.push(stop.map_err(|_| RequestError::shape(place, "expected a text"))?);
    }
    let is_json = |raw: &RawValue| raw.get() == "\"application/json\"";
    let mut rest = Map::new();
    if config.peek("responseMimeType").is_some_and(is_json) {
        config.raw("responseMimeType");
        let (json, own) = (config.raw(RESPONSE_JSON_SCHEMA), config.raw(RESPONSE_SCHEMA));
        request.output = match (json, own) {
            (Some(json), _) => schema(json.get().parse().unwrap_or_default()),
            (None, Some(own)) => schema(json_schema(own)),
            (None, None) => OutputFormat::Json,
        };
        // Keep a schema in the API's own dialect unchanged, too.
        if let Some(own) = own {
            rest.insert(RESPONSE_SCHEMA.to_owned(), value(&config.place(RESPONSE_SCHEMA), own)?);
        }
    }
    rest.extend(config.rest());
    if !rest.is_empty() {
        request.options.extra.insert(CONFIG.to_owned(), rest.into());
    }
    Ok(())
}

/// This API does not name schemas; `OutputSchema` requires a name.
fn schema(schema: RawJson) -> OutputFormat {
    OutputFormat::Schema(OutputSchema::new("response", schema))
}
