//! The tools on offer, and the choice among them.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, RawJson, Request, Strictness, ToolChoice, ToolName, ToolSpec, Unknown};
use windlass_wire::RequestError;

use crate::encode::CHOICE;
use crate::server::fields::Fields;
use crate::server::raw::{RawFunction, RawTool};
use crate::server::schema::{is_json_schema, json_schema};
use crate::tools::{CALLING, DECLARATION, FIELD, PARAMETERS};
use crate::wire::NAME;

const JSON_SCHEMA: &str = "parametersJsonSchema";

/// The functions of all tools, and what else stands in them: tools that the provider runs.
pub(crate) fn tools(
    request: &mut Request,
    body: &mut Fields,
    raw: &[RawTool<'_>],
) -> Result<(), RequestError> {
    for (position, tool) in body.list("tools")?.into_iter().enumerate() {
        let mut tool = Fields::new(format!("tools[{position}]"), tool)?;
        let raw = raw.get(position).and_then(|tool| tool.functions.as_deref()).unwrap_or_default();
        let place = tool.place("functionDeclarations");
        for (at, declared) in tool.list("functionDeclarations")?.into_iter().enumerate() {
            let fields = Fields::new(format!("{place}[{at}]"), declared)?;
            function(request, fields, raw.get(at))?;
        }
        let rest = tool.rest();
        if !rest.is_empty() {
            request.hosted_tools.push(Unknown::new(NAME, rest.into()));
        }
    }
    Ok(())
}

fn function(
    request: &mut Request,
    mut fields: Fields,
    raw: Option<&RawFunction<'_>>,
) -> Result<(), RequestError> {
    let name = tool_name(fields.place("name"), fields.needed("name")?)?;
    let description = fields.text("description")?.unwrap_or_default();
    let (json, own) = (fields.take(JSON_SCHEMA), fields.take(PARAMETERS));
    let mut kept = Map::new();
    let parameters = match (json, own) {
        (Some(_), _) => raw_json(raw.and_then(|raw| raw.json_schema)),
        (None, Some(own)) => {
            kept.insert(FIELD.to_owned(), PARAMETERS.into());
            let schema = raw.and_then(|raw| raw.parameters);
            if !schema.is_some_and(is_json_schema) {
                kept.insert(PARAMETERS.to_owned(), own);
            }
            schema.map(json_schema).unwrap_or_default()
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
    request.tools.push(ToolSpec::Function { name, description, parameters, strict: Strictness::Unsaid });
    Ok(())
}

fn raw_json(raw: Option<&RawValue>) -> RawJson {
    raw.and_then(|raw| raw.get().parse().ok()).unwrap_or_default()
}

pub(crate) fn tool_name(place: String, name: String) -> Result<ToolName, RequestError> {
    ToolName::new(name).map_err(|error| RequestError::shape(place, error.to_string()))
}

/// The choice among the tools. What has no word here is kept as it came, and the nearest word stands beside it.
pub(crate) fn choice(request: &mut Request, body: &mut Fields) -> Result<(), RequestError> {
    let Some(config) = body.take(CHOICE) else { return Ok(()) };
    let mut fields = Fields::new(CHOICE, config.clone())?;
    if request.tools.is_empty() {
        request.extra.insert(CHOICE.to_owned(), fields.rest().into());
        return Ok(());
    }
    let mut kept = Map::new();
    if let Some(calling) = fields.take(CALLING) {
        let mut calling = Fields::new(format!("{CHOICE}.{CALLING}"), calling)?;
        let mode = calling.text("mode")?.unwrap_or_default();
        let allowed = calling.list("allowedFunctionNames")?;
        request.tool_choice = match (mode.as_str(), allowed.as_slice()) {
            ("" | "AUTO" | "MODE_UNSPECIFIED", []) => ToolChoice::Auto,
            ("NONE", []) => ToolChoice::None,
            ("ANY", []) => ToolChoice::Required,
            ("ANY", [Value::String(name)]) => {
                ToolChoice::Named(tool_name(calling.place("allowedFunctionNames[0]"), name.clone())?)
            }
            (word, _) => {
                kept.insert("mode".to_owned(), word.into());
                if !allowed.is_empty() {
                    kept.insert("allowedFunctionNames".to_owned(), allowed.clone().into());
                }
                if word == "ANY" { ToolChoice::Required } else { ToolChoice::Auto }
            }
        };
        kept.extend(calling.rest());
    }
    let mut rest = fields.rest();
    if !kept.is_empty() {
        rest.insert(CALLING.to_owned(), kept.into());
    }
    if !rest.is_empty() {
        request.extra.insert(CHOICE.to_owned(), rest.into());
    }
    Ok(())
}
