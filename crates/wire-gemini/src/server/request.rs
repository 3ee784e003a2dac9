//! Reads a request as this API's clients send it.

use serde_json::{Map, Value, json};
use windlass_protocol::{Delivery, OutputFormat, OutputSchema, Request};
use windlass_wire::{Asked, Framing, RequestError, replace_lone_surrogates};

use crate::encode::{RESPONSE_JSON_SCHEMA, RESPONSE_SCHEMA};
use crate::server::fields::Fields;
use crate::server::messages::messages;
use crate::server::raw::{RawConfig, RawRequest};
use crate::server::schema::json_schema;
use crate::server::tools::{choice, tools};
use crate::wire::NAME;

/// What the path says: the model and the form of the answer.
struct Address<'a> {
    model: &'a str,
    framing: Framing,
}

/// Reads a request's path and body.
pub(crate) fn decode_request(path: &str, body: &[u8]) -> Result<Asked, RequestError> {
    let Some(address) = address(path) else {
        return Err(RequestError::Path { wire: NAME, path: path.to_owned() });
    };
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str(text) {
        Ok(value) => read(&address, text, value),
        // A client hands on what a model wrote, half a surrogate pair too.
        Err(error) => match replace_lone_surrogates(text) {
            Some(repaired) => read(&address, &repaired, serde_json::from_str(&repaired)?),
            None => Err(error.into()),
        },
    }
}

fn address(path: &str) -> Option<Address<'_>> {
    let (bare, query) = path.split_once('?').unwrap_or((path, ""));
    let bare = bare.trim_start_matches('/');
    // Some clients count the version to the path.
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

fn read(address: &Address<'_>, text: &str, body: Value) -> Result<Asked, RequestError> {
    let mut body = Fields::new("", body)?;
    let raw: RawRequest<'_> = serde_json::from_str(text).unwrap_or_default();
    let contents = body.list("contents")?;
    let messages = messages(contents, &raw.contents.unwrap_or_default())?;
    let mut request = Request::new(address.model, messages);
    if address.framing == Framing::Whole {
        request.delivery = Delivery::Whole;
    }
    system(&mut request, &mut body)?;
    tools(&mut request, &mut body, &raw.tools.unwrap_or_default())?;
    choice(&mut request, &mut body)?;
    config(&mut request, &mut body, &raw.config.unwrap_or_default())?;
    // The path says it.
    body.take("model");
    request.extra.extend(body.rest());
    Ok(Asked::new(request, address.framing))
}

/// The system prompt. One of several parts, or of other things than words, is kept as it came, and its words stand
/// beside it.
fn system(request: &mut Request, body: &mut Fields) -> Result<(), RequestError> {
    let Some(value) = body.take("systemInstruction") else { return Ok(()) };
    let mut content = Fields::new("systemInstruction", value.clone())?;
    let parts = content.list("parts")?;
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    let is_plain = matches!(parts.as_slice(), [one] if one.as_object().is_some_and(|one| one.len() == 1));
    if !(is_plain && texts.len() == 1) {
        request.extra.insert("systemInstruction".to_owned(), value.clone());
    }
    if !texts.is_empty() {
        request.system = Some(texts.join("\n"));
    }
    Ok(())
}

/// What the answer may be like.
fn config(request: &mut Request, body: &mut Fields, raw: &RawConfig<'_>) -> Result<(), RequestError> {
    let Some(config) = body.take("generationConfig") else { return Ok(()) };
    let mut config = Fields::new("generationConfig", config)?;
    request.temperature = config.number("temperature")?;
    request.max_output_tokens = config.count("maxOutputTokens")?;
    for (position, stop) in config.list("stopSequences")?.into_iter().enumerate() {
        let place = || config.place(&format!("stopSequences[{position}]"));
        let stop = stop.as_str().ok_or_else(|| RequestError::shape(place(), "a text is wanted"))?;
        request.stop_sequences.push(stop.to_owned());
    }
    let mut rest = Map::new();
    if config.peek("responseMimeType") == Some(&json!("application/json")) {
        config.take("responseMimeType");
        let json = config.take(RESPONSE_JSON_SCHEMA).and(raw.json_schema);
        let own = config.take(RESPONSE_SCHEMA);
        request.output = match (json, raw.schema.filter(|_| own.is_some())) {
            (Some(json), _) => schema(json.get().parse().unwrap_or_default()),
            (None, Some(own)) => schema(json_schema(own)),
            (None, None) => OutputFormat::Json,
        };
        // A schema in the API's own dialect goes back as it came.
        rest.extend(own.map(|own| (RESPONSE_SCHEMA.to_owned(), own)));
    }
    rest.extend(config.rest());
    if !rest.is_empty() {
        request.extra.insert("generationConfig".to_owned(), rest.into());
    }
    Ok(())
}

/// The API asks for no name.
fn schema(schema: windlass_protocol::RawJson) -> OutputFormat {
    OutputFormat::Schema(OutputSchema::new("response", schema))
}
