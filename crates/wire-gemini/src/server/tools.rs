//! Decodes the tools that a client offers and its tool choice.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{HostedTool, Opaque, RawJson, Request, ToolChoice, ToolName, ToolSpec};
use windlass_wire::{Fields, RequestError};

use crate::names::{CHOICE, NAME};
use crate::server::fields::{fields, list, object, value};
use crate::server::schema::{is_json_schema, json_schema};
use crate::tools::{CALLING, DECLARATION, FIELD, PARAMETERS};

const JSON_SCHEMA: &str = "parametersJsonSchema";

/// Takes the functions of all tools. The other members of the tools are kept as tools that the provider runs.
pub(crate) fn tools(request: &mut Request, body: &mut Fields<'_>) -> Result<(), RequestError> {
    for (place, raw) in list(body, "tools")? {
        let mut tool = fields(place, raw)?;
        for (place, raw) in list(&mut tool, "functionDeclarations")? {
            function(request, fields(place, raw)?)?;
        }
        let rest = tool.rest();
        if !rest.is_empty() {
            request.options.hosted_tools.push(HostedTool::native(NAME, rest.into()));
        }
    }
    Ok(())
}

fn function(request: &mut Request, mut fields: Fields<'_>) -> Result<(), RequestError> {
    let name = tool_name(fields.place("name"), fields.take_required_text("name")?)?;
    let description = fields.text("description")?.unwrap_or_default();
    let mut kept = Map::new();
    let parameters = match (fields.raw(JSON_SCHEMA), fields.raw(PARAMETERS)) {
        (Some(json), _) => raw_json(json),
        (None, Some(own)) => {
            kept.insert(FIELD.to_owned(), PARAMETERS.into());
            if !is_json_schema(own) {
                kept.insert(PARAMETERS.to_owned(), value(&fields.place(PARAMETERS), own)?);
            }
            json_schema(own)
        }
        // A function without parameters.
        (None, None) => {
            kept.insert(FIELD.to_owned(), PARAMETERS.into());
            RawJson::from(&json!({ "type": "object", "properties": {} }))
        }
    };
    let rest = fields.rest();
    if !rest.is_empty() {
        kept.insert(DECLARATION.to_owned(), rest.into());
    }
    if !kept.is_empty() {
        request.tool_fields.insert(name.clone(), Opaque::new(NAME, kept.into()));
    }
    request.tools.push(ToolSpec::function(name, description, parameters));
    Ok(())
}

fn raw_json(raw: &RawValue) -> RawJson {
    raw.get().parse().unwrap_or_default()
}

pub(crate) fn tool_name(place: String, name: String) -> Result<ToolName, RequestError> {
    ToolName::new(name).map_err(|error| RequestError::shape(place, error.to_string()))
}

/// Takes the tool choice. A choice that `ToolChoice` cannot express is kept in `extra`, beside the closest
/// `ToolChoice`.
pub(crate) fn choice(request: &mut Request, body: &mut Fields<'_>) -> Result<(), RequestError> {
    let Some(mut config) = object(body, CHOICE)? else { return Ok(()) };
    if request.tools.is_empty() {
        request.options.extra.insert(CHOICE.to_owned(), config.rest().into());
        return Ok(());
    }
    let mut kept = Map::new();
    if let Some(mut calling) = object(&mut config, CALLING)? {
        let mode = calling.text("mode")?.unwrap_or_default();
        let mut allowed = Vec::new();
        for (place, raw) in list(&mut calling, "allowedFunctionNames")? {
            allowed.push((value(&place, raw)?, place));
        }
        request.options.tool_choice = match (mode.as_str(), allowed.as_slice()) {
            ("" | "AUTO" | "MODE_UNSPECIFIED", []) => ToolChoice::Auto,
            ("NONE", []) => ToolChoice::None,
            ("ANY", []) => ToolChoice::Required,
            ("ANY", [(Value::String(name), place)]) => {
                ToolChoice::Named(tool_name(place.clone(), name.clone())?)
            }
            (word, _) => {
                kept.insert("mode".to_owned(), word.into());
                if !allowed.is_empty() {
                    let names: Vec<Value> = allowed.iter().map(|(name, _)| name.clone()).collect();
                    kept.insert("allowedFunctionNames".to_owned(), names.into());
                }
                if word == "ANY" { ToolChoice::Required } else { ToolChoice::Auto }
            }
        };
        kept.extend(calling.rest());
    }
    let mut rest = config.rest();
    if !kept.is_empty() {
        rest.insert(CALLING.to_owned(), kept.into());
    }
    if !rest.is_empty() {
        request.options.extra.insert(CHOICE.to_owned(), rest.into());
    }
    Ok(())
}
