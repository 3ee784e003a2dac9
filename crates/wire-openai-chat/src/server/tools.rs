//! Decodes the tools that a client offers and its tool choice.

use serde_json::{Map, Value, json};
use windlass_protocol::{
    Grammar, HostedTool, Opaque, RawJson, Request, Strictness, ToolChoice, ToolName, ToolSpec,
};
use windlass_wire::{Fields, RequestError};

use crate::marks::{FUNCTION, TOOL};
use crate::names::NAME;

pub(crate) fn read(fields: &mut Fields<'_>, request: &mut Request) -> Result<(), RequestError> {
    for (place, raw) in fields.list("tools")?.into_iter().flatten() {
        let mut tool = Fields::parse(place, raw.get())?;
        let kind = tool.text("type")?;
        let (spec, inner) = match kind.as_deref() {
            // Some servers accept a function without a type.
            Some("function") | None if tool.has("function") => function(&mut tool)?,
            Some("custom") if tool.has("custom") => custom(&mut tool)?,
            Some(_) => {
                let value = serde_json::from_str(raw.get())?;
                request.options.hosted_tools.push(HostedTool::native(NAME, value));
                continue;
            }
            None => return Err(tool.wrong("type", "expected a text")),
        };
        let mut marks = Map::new();
        for (name, rest) in [(FUNCTION, inner), (TOOL, tool.rest())] {
            if !rest.is_empty() {
                marks.insert(name.to_owned(), Value::Object(rest));
            }
        }
        if !marks.is_empty() {
            request.tool_fields.insert(spec.name().clone(), Opaque::new(NAME, Value::Object(marks)));
        }
        request.tools.push(spec);
    }
    choice(fields, request)
}

pub(crate) fn name(fields: &mut Fields<'_>) -> Result<ToolName, RequestError> {
    let text = fields.take_required_text("name")?;
    ToolName::new(text).map_err(|error| fields.wrong("name", error.to_string()))
}

fn function(tool: &mut Fields<'_>) -> Result<(ToolSpec, Map<String, Value>), RequestError> {
    let Some(mut body) = tool.object("function")? else {
        return Err(tool.wrong("function", "expected an object"));
    };
    let name = name(&mut body)?;
    let description = body.text("description")?.unwrap_or_default();
    let parameters = match body.raw("parameters") {
        Some(raw) => raw_json(raw.get())?,
        None => RawJson::default(),
    };
    let strict = Strictness::from_flag(body.flag("strict")?);
    Ok((ToolSpec::function(name, description, parameters).with_strict(strict), body.rest()))
}

fn custom(tool: &mut Fields<'_>) -> Result<(ToolSpec, Map<String, Value>), RequestError> {
    let Some(mut body) = tool.object("custom")? else {
        return Err(tool.wrong("custom", "expected an object"));
    };
    let name = name(&mut body)?;
    let description = body.text("description")?.unwrap_or_default();
    let grammar = match body.object("format")? {
        None => None,
        Some(mut format) => match format.take_required_text("type")?.as_str() {
            "grammar" => Some(grammar(&mut format)?),
            "text" => None,
            _ => return Err(format.wrong("type", "expected text or grammar")),
        },
    };
    Ok((ToolSpec::Freeform { name, description, grammar }, body.rest()))
}

fn grammar(format: &mut Fields<'_>) -> Result<Grammar, RequestError> {
    let Some(mut grammar) = format.object("grammar")? else {
        return Err(format.wrong("grammar", "expected an object"));
    };
    let definition = grammar.take_required_text("definition")?;
    match grammar.take_required_text("syntax")?.as_str() {
        "lark" => Ok(Grammar::Lark(definition)),
        "regex" => Ok(Grammar::Regex(definition)),
        _ => Err(grammar.wrong("syntax", "expected lark or regex")),
    }
}

fn choice(fields: &mut Fields<'_>, request: &mut Request) -> Result<(), RequestError> {
    let place = fields.place("tool_choice");
    let Some(raw) = fields.raw("tool_choice") else { return Ok(()) };
    let value: Value = serde_json::from_str(raw.get())?;
    request.options.tool_choice = match value.as_str() {
        Some("auto") => ToolChoice::Auto,
        Some("none") => ToolChoice::None,
        Some("required") => ToolChoice::Required,
        // Mistral's name for `required`, sent back unchanged.
        Some("any") => {
            request.options.extra.insert("tool_choice".to_owned(), json!("any"));
            ToolChoice::Required
        }
        Some(_) => return Err(RequestError::shape(place, "expected auto, none, required or a tool")),
        None => {
            let mut choice = Fields::parse(place, raw.get())?;
            let kind = choice.text("type")?.unwrap_or_else(|| "function".to_owned());
            if matches!(kind.as_str(), "function" | "custom")
                && let Some(mut named) = choice.object(&kind)?
            {
                ToolChoice::Named(name(&mut named)?)
            } else {
                // A choice of another form, for example `allowed_tools`.
                request.options.extra.insert("tool_choice".to_owned(), value);
                ToolChoice::Auto
            }
        }
    };
    Ok(())
}

/// Parses JSON and keeps its text.
pub(crate) fn raw_json(text: &str) -> Result<RawJson, RequestError> {
    text.parse().map_err(RequestError::Json)
}
