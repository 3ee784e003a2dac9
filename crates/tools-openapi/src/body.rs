//! Bodies of requests: JSON and forms.

use serde_json::Value;

use crate::OpenApi;
use crate::document::Entry;
use crate::encode::{Form, Style, percent_encode, query_fields};
use crate::node::Node;
use crate::text::one_line;

/// Format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    Json,
    Form,
}

/// The body that an operation accepts.
#[derive(Clone, Debug)]
pub(crate) struct BodyChoice<'a> {
    pub(crate) format: BodyFormat,
    pub(crate) media: String,
    pub(crate) is_required: bool,
    pub(crate) schema: Option<&'a Node>,
    pub(crate) description: Option<&'a str>,
}

/// Returns whether a media type is JSON.
pub(crate) fn is_json(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}

/// Chooses the format of an operation's body: JSON before a form.
///
/// # Errors
/// If the operation accepts neither. The error names the accepted media types.
pub(crate) fn choose<'a>(api: &'a OpenApi, entry: &Entry<'a>) -> Result<Option<BodyChoice<'a>>, String> {
    let Some(node) = entry.node.get("requestBody") else { return Ok(None) };
    let node = api.resolve(node, "its body").map_err(|error| error.to_string())?;
    let Some(content) = node.get("content").and_then(Node::as_map).filter(|content| !content.is_empty())
    else {
        return Ok(None);
    };
    let is_form = |media: &str| media.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
    let chosen = (content.iter().find(|(media, _)| is_json(media)))
        .or_else(|| content.get_key_value("*/*"))
        .map(|found| (found, BodyFormat::Json))
        .or_else(|| content.iter().find(|(media, _)| is_form(media)).map(|found| (found, BodyFormat::Form)));
    let is_required = node.is_set("required");
    let Some(((media, part), format)) = chosen else {
        let media: Vec<String> = content.keys().take(4).map(|media| one_line(media, 60)).collect();
        let media = media.join(", ");
        return if is_required {
            Err(format!("its body is {media}, and only JSON and URL-encoded forms are sent"))
        } else {
            Ok(None)
        };
    };
    let is_plain = |byte: u8| (b'!'..=b'~').contains(&byte);
    let media = match format {
        BodyFormat::Form => "application/x-www-form-urlencoded".to_owned(),
        BodyFormat::Json if is_json(media) && media.bytes().all(is_plain) => media.clone(),
        BodyFormat::Json => "application/json".to_owned(),
    };
    let (schema, description) = (part.get("schema"), node.str_of("description"));
    Ok(Some(BodyChoice { format, media, is_required, schema, description }))
}

/// Encodes an object as a form. Lists repeat their field, and objects are JSON texts.
///
/// # Errors
/// If the value is not an object.
pub(crate) fn form(value: &Value) -> Result<String, String> {
    let Value::Object(members) = value else {
        return Err("the body is sent as a form, so it must be an object".to_owned());
    };
    let mut fields = Vec::new();
    for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
        let form = Form { name, style: Style::Form, explode: true };
        match value {
            Value::Object(_) => {
                fields.push(format!("{}={}", percent_encode(name), percent_encode(&value.to_string())));
            }
            value => fields.extend(query_fields(form, value)?),
        }
    }
    Ok(fields.join("&"))
}
