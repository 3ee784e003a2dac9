//! Decodes a client's request.

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_protocol::{
    Delivery, Grammar, Message, Opaque, OutputFormat, OutputSchema, ParallelCalls, RawJson, Request,
    Strictness, ToolChoice, ToolName, ToolSpec, Unknown,
};
use windlass_wire::{DecodedRequest, Fields, Framing, RequestError, replace_lone_surrogates};

use crate::names::NAME;
use crate::server::messages::messages;

/// Returns whether a path addresses a model of this API.
pub(crate) fn serves(path: &str) -> bool {
    path.split_once('?').map_or(path, |(bare, _)| bare).trim_end_matches('/').ends_with("/responses")
}

/// Decodes the path and the body of a request.
pub(crate) fn decode_request(path: &str, body: &[u8]) -> Result<DecodedRequest, RequestError> {
    if !serves(path) {
        return Err(RequestError::Path { wire: NAME, path: path.to_owned() });
    }
    let text = windlass_wire::decode_text(body);
    let text = text.trim_start_matches('\u{feff}');
    // Clients forward the model's text, including lone surrogates.
    match replace_lone_surrogates(text) {
        Some(repaired) => read(&repaired),
        None => read(text),
    }
}

fn read(text: &str) -> Result<DecodedRequest, RequestError> {
    let mut body = Fields::parse("", text)?;
    let model = body.take_required_text("model")?;
    // With state at the server, a result may answer a call that is not in the request.
    let is_stateful = ["previous_response_id", "conversation"].iter().any(|name| body.has(name));
    let messages = match body.peek("input").map(RawValue::get) {
        None => Vec::new(),
        Some(text) if text.starts_with('"') => vec![Message::user(body.take_required_text("input")?)],
        Some(list) if list.starts_with('[') => {
            messages(body.list("input")?.unwrap_or_default(), is_stateful)?
        }
        Some(_) => return Err(body.wrong("input", "expected a text or a list of items")),
    };
    let mut request = Request::new(model, messages);
    if body.peek("instructions").is_some_and(|raw| raw.get().starts_with('"')) {
        request.system = body.text("instructions")?;
    }
    request.options.max_output_tokens = body.count("max_output_tokens")?;
    request.options.temperature = body.number("temperature")?;
    request.options.parallel_calls = match body.flag("parallel_tool_calls")? {
        None => ParallelCalls::ProviderDefault,
        Some(true) => ParallelCalls::Allow,
        Some(false) => ParallelCalls::Forbid,
    };
    let is_streamed = body.flag("stream")? == Some(true);
    request.delivery = if is_streamed { Delivery::Stream } else { Delivery::Whole };
    for (place, raw) in body.list("tools")?.unwrap_or_default() {
        tool(&mut request, place, raw)?;
    }
    output(&mut request, &mut body)?;
    choice(&mut request, &mut body)?;
    request.options.extra.extend(body.rest());
    let framing = if is_streamed { Framing::Events } else { Framing::Whole };
    Ok(DecodedRequest::new(request, framing))
}

fn raw_json(raw: Option<&RawValue>) -> RawJson {
    raw.and_then(|raw| raw.get().parse().ok()).unwrap_or_default()
}

/// Parses a value that is kept unchanged.
pub(crate) fn value(place: &str, raw: &RawValue) -> Result<Value, RequestError> {
    serde_json::from_str(raw.get())
        .map_err(|_| RequestError::shape(place, "expected a value of at most 128 levels"))
}

pub(crate) fn tool_name(place: String, name: String) -> Result<ToolName, RequestError> {
    ToolName::new(name).map_err(|error| RequestError::shape(place, error.to_string()))
}

/// Decodes one tool. A tool that the provider runs or defines is kept unchanged.
fn tool(request: &mut Request, place: String, raw: &RawValue) -> Result<(), RequestError> {
    let kept = Unknown::new(NAME, value(&place, raw)?);
    let mut tool = Fields::parse(place, raw.get())?;
    let spec = match tool.take_required_text("type")?.as_str() {
        "function" => {
            let name = tool_name(tool.place("name"), tool.take_required_text("name")?)?;
            let description = tool.text("description")?.unwrap_or_default();
            let strict = Strictness::from_flag(tool.flag("strict")?);
            let parameters = raw_json(tool.raw("parameters"));
            Some(ToolSpec::function(name, description, parameters).with_strict(strict))
        }
        "custom" => {
            let name = tool_name(tool.place("name"), tool.take_required_text("name")?)?;
            let description = tool.text("description")?.unwrap_or_default();
            match format(tool.value("format")?.as_ref()) {
                Format::Any => Some(ToolSpec::Freeform { name, description, grammar: None }),
                Format::Grammar(grammar) => {
                    Some(ToolSpec::Freeform { name, description, grammar: Some(grammar) })
                }
                Format::Other => None,
            }
        }
        _ => None,
    };
    let Some(spec) = spec else {
        request.options.hosted_tools.push(kept.into());
        return Ok(());
    };
    let rest = tool.rest();
    if !rest.is_empty() {
        request.tool_fields.insert(spec.name().clone(), Opaque::new(NAME, rest.into()));
    }
    request.tools.push(spec);
    Ok(())
}

/// The format of a freeform tool's text.
pub(crate) enum Format {
    Any,
    Grammar(Grammar),
    /// A format that `Grammar` cannot express.
    Other,
}

/// Returns the format of a freeform tool's text.
pub(crate) fn format(format: Option<&Value>) -> Format {
    let text = |name: &str| format.and_then(|format| format.get(name)?.as_str());
    match (text("type"), text("syntax"), text("definition")) {
        (Some("grammar"), Some("lark"), Some(text)) => Format::Grammar(Grammar::Lark(text.to_owned())),
        (Some("grammar"), Some("regex"), Some(text)) => Format::Grammar(Grammar::Regex(text.to_owned())),
        (Some("text"), ..) => Format::Any,
        _ if format.is_none() => Format::Any,
        _ => Format::Other,
    }
}

/// Takes the format of the answer. The other members of `text` stay in `extra`.
fn output(request: &mut Request, body: &mut Fields<'_>) -> Result<(), RequestError> {
    let Some(mut text) = body.object("text")? else { return Ok(()) };
    let mut rest = Map::new();
    let format = text.peek("format");
    if let Some(mut fields) = text.object("format")? {
        match fields.take_required_text("type")?.as_str() {
            "text" => {}
            "json_object" => request.output = OutputFormat::Json,
            "json_schema" => {
                let name = fields.text("name")?.unwrap_or_default();
                let schema = OutputSchema::new(name, raw_json(fields.raw("schema")))
                    .with_description(fields.text("description")?)
                    .with_strict(Strictness::from_flag(fields.flag("strict")?));
                request.output = OutputFormat::Schema(schema);
            }
            _ => rest.extend(format.and_then(|raw| Some(("format".to_owned(), value("", raw).ok()?)))),
        }
    }
    rest.extend(text.rest());
    if !rest.is_empty() {
        request.options.extra.insert("text".to_owned(), rest.into());
    }
    Ok(())
}

/// Takes the tool choice. A choice among several tools is kept in `extra`, beside the closest `ToolChoice`.
fn choice(request: &mut Request, body: &mut Fields<'_>) -> Result<(), RequestError> {
    let Some(raw) = body.peek("tool_choice") else { return Ok(()) };
    if raw.get().starts_with('"') {
        request.options.tool_choice = match body.take_required_text("tool_choice")?.as_str() {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" => ToolChoice::Required,
            _ => return Err(body.wrong("tool_choice", "expected auto, none or required")),
        };
        return Ok(());
    }
    let choice = value("tool_choice", raw)?;
    let Some(mut fields) = body.object("tool_choice")? else { return Ok(()) };
    let kind = fields.take_required_text("type")?;
    request.options.tool_choice = match kind.as_str() {
        "function" | "custom" => {
            ToolChoice::Named(tool_name(fields.place("name"), fields.take_required_text("name")?)?)
        }
        "allowed_tools" => {
            request.options.extra.insert("tool_choice".to_owned(), choice);
            let is_required = fields.text("mode")?.as_deref() == Some("required");
            if is_required { ToolChoice::Required } else { ToolChoice::Auto }
        }
        // A hosted tool is named by its type alone. A choice with further fields is kept unchanged.
        _ if fields.rest().is_empty() => ToolChoice::Named(tool_name("tool_choice.type".to_owned(), kind)?),
        _ => {
            request.options.extra.insert("tool_choice".to_owned(), choice);
            ToolChoice::Required
        }
    };
    Ok(())
}
