//! Reads a request as this API's clients send it.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_protocol::{
    Delivery, Grammar, Message, Opaque, OutputFormat, OutputSchema, ParallelCalls, RawJson, Request,
    Strictness, ToolChoice, ToolName, ToolSpec, Unknown,
};
use windlass_wire::{Asked, Framing, RequestError, replace_lone_surrogates};

use crate::server::fields::Fields;
use crate::server::messages::messages;
use crate::wire::NAME;

/// What has to be lent out of the body's text: schemas keep the order of their keys.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Schemas<'a> {
    #[serde(borrow)]
    tools: Option<Vec<RawTool<'a>>>,
    #[serde(borrow)]
    text: Option<RawText<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawTool<'a> {
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawText<'a> {
    #[serde(borrow)]
    format: Option<RawFormat<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawFormat<'a> {
    #[serde(borrow)]
    schema: Option<&'a RawValue>,
}

/// Reads a request's path and body.
pub(crate) fn decode_request(path: &str, body: &[u8]) -> Result<Asked, RequestError> {
    let bare = path.split_once('?').map_or(path, |(bare, _)| bare).trim_end_matches('/');
    if !bare.ends_with("/responses") {
        return Err(RequestError::Path { wire: NAME, path: path.to_owned() });
    }
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str(text) {
        Ok(value) => read(text, value),
        // A client hands on what a model wrote, half a surrogate pair too.
        Err(error) => match replace_lone_surrogates(text) {
            Some(repaired) => read(&repaired, serde_json::from_str(&repaired)?),
            None => Err(error.into()),
        },
    }
}

fn read(text: &str, body: Value) -> Result<Asked, RequestError> {
    let mut body = Fields::new("", body)?;
    let schemas: Schemas<'_> = serde_json::from_str(text).unwrap_or_default();
    let model = body.needed("model")?;
    // A call whose result is sent alone stands in what the server keeps.
    let is_stateful = ["previous_response_id", "conversation"].iter().any(|name| body.peek(name).is_some());
    let messages = match body.take("input") {
        None => Vec::new(),
        Some(Value::String(text)) => vec![Message::user(text)],
        Some(Value::Array(items)) => messages(items, is_stateful)?,
        Some(other) => return Err(body.wrong("input", &other, "a text or a list of items")),
    };
    let mut request = Request::new(model, messages);
    if matches!(body.peek("instructions"), Some(Value::String(_))) {
        request.system = body.text("instructions")?;
    }
    request.max_output_tokens = body.count("max_output_tokens")?;
    request.temperature = body.number("temperature")?;
    request.parallel_calls = match body.flag("parallel_tool_calls")? {
        None => ParallelCalls::ProviderDefault,
        Some(true) => ParallelCalls::Allow,
        Some(false) => ParallelCalls::Forbid,
    };
    let is_streamed = body.flag("stream")? == Some(true);
    request.delivery = if is_streamed { Delivery::Stream } else { Delivery::Whole };
    let raw_tools = schemas.tools.unwrap_or_default();
    for (position, tool) in body.list("tools")?.into_iter().enumerate() {
        let parameters = raw_tools.get(position).and_then(|tool| tool.parameters);
        self::tool(&mut request, position, tool, parameters)?;
    }
    let raw_format = schemas.text.unwrap_or_default().format.unwrap_or_default();
    output(&mut request, &mut body, raw_format.schema)?;
    choice(&mut request, &mut body)?;
    request.extra.extend(body.rest());
    let framing = if is_streamed { Framing::Events } else { Framing::Whole };
    Ok(Asked::new(request, framing))
}

fn raw_json(raw: Option<&RawValue>) -> RawJson {
    raw.and_then(|raw| raw.get().parse().ok()).unwrap_or_default()
}

pub(crate) fn strictness(flag: Option<bool>) -> Strictness {
    match flag {
        None => Strictness::Unsaid,
        Some(true) => Strictness::On,
        Some(false) => Strictness::Off,
    }
}

pub(crate) fn tool_name(place: String, name: String) -> Result<ToolName, RequestError> {
    ToolName::new(name).map_err(|error| RequestError::shape(place, error.to_string()))
}

/// One tool: the request's own, or one that the provider runs or defines, which is kept as it came.
fn tool(
    request: &mut Request,
    position: usize,
    tool: Value,
    parameters: Option<&RawValue>,
) -> Result<(), RequestError> {
    let kept = Unknown::new(NAME, tool.clone());
    let mut tool = Fields::new(format!("tools[{position}]"), tool)?;
    let spec = match tool.needed("type")?.as_str() {
        "function" => {
            tool.take("parameters");
            let name = tool_name(tool.place("name"), tool.needed("name")?)?;
            let (description, strict) = (tool.text("description")?.unwrap_or_default(), tool.flag("strict")?);
            let (parameters, strict) = (raw_json(parameters), strictness(strict));
            Some(ToolSpec::Function { name, description, parameters, strict })
        }
        "custom" => {
            let name = tool_name(tool.place("name"), tool.needed("name")?)?;
            let description = tool.text("description")?.unwrap_or_default();
            match format(tool.take("format").as_ref()) {
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
        request.hosted_tools.push(kept);
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
enum Format {
    Any,
    Grammar(Grammar),
    /// One that has no word here.
    Other,
}

fn format(format: Option<&Value>) -> Format {
    let text = |name: &str| format.and_then(|format| format.get(name)?.as_str());
    match (text("type"), text("syntax"), text("definition")) {
        (Some("grammar"), Some("lark"), Some(text)) => Format::Grammar(Grammar::Lark(text.to_owned())),
        (Some("grammar"), Some("regex"), Some(text)) => Format::Grammar(Grammar::Regex(text.to_owned())),
        (Some("text"), ..) => Format::Any,
        _ if format.is_none() => Format::Any,
        _ => Format::Other,
    }
}

/// The form of the answer's words; what else is said of them stays as it is.
fn output(request: &mut Request, body: &mut Fields, schema: Option<&RawValue>) -> Result<(), RequestError> {
    let Some(text) = body.take("text") else { return Ok(()) };
    let mut text = Fields::new("text", text)?;
    let mut rest = Map::new();
    if let Some(format) = text.take("format") {
        let mut fields = Fields::new("text.format", format.clone())?;
        match fields.needed("type")?.as_str() {
            "text" => {}
            "json_object" => request.output = OutputFormat::Json,
            "json_schema" => {
                let name = fields.text("name")?.unwrap_or_default();
                let schema = OutputSchema::new(name, raw_json(schema))
                    .with_description(fields.text("description")?)
                    .with_strict(strictness(fields.flag("strict")?));
                request.output = OutputFormat::Schema(schema);
            }
            _ => {
                rest.insert("format".to_owned(), format);
            }
        }
    }
    rest.extend(text.rest());
    if !rest.is_empty() {
        request.extra.insert("text".to_owned(), rest.into());
    }
    Ok(())
}

/// The choice of a tool. A choice among several is kept as it came, and the nearest word stands beside it.
fn choice(request: &mut Request, body: &mut Fields) -> Result<(), RequestError> {
    let Some(choice) = body.take("tool_choice") else { return Ok(()) };
    let mut fields = match &choice {
        Value::String(word) => {
            request.tool_choice = match word.as_str() {
                "auto" => ToolChoice::Auto,
                "none" => ToolChoice::None,
                "required" => ToolChoice::Required,
                _ => return Err(body.wrong("tool_choice", &choice, "auto, none or required")),
            };
            return Ok(());
        }
        _ => Fields::new("tool_choice", choice.clone())?,
    };
    let kind = fields.needed("type")?;
    request.tool_choice = match kind.as_str() {
        "function" | "custom" => ToolChoice::Named(tool_name(fields.place("name"), fields.needed("name")?)?),
        "allowed_tools" => {
            request.extra.insert("tool_choice".to_owned(), choice);
            let is_required = fields.text("mode")?.as_deref() == Some("required");
            if is_required { ToolChoice::Required } else { ToolChoice::Auto }
        }
        // A hosted tool is named by its type; one of a server has more to say.
        _ if fields.rest().is_empty() => ToolChoice::Named(tool_name("tool_choice.type".to_owned(), kind)?),
        _ => {
            request.extra.insert("tool_choice".to_owned(), choice);
            ToolChoice::Required
        }
    };
    Ok(())
}
