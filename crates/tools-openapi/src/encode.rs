//! Percent-encoding, and the styles of parameters.

use serde_json::{Map, Value};

/// Style of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
    /// The JSON text of the value.
    Json,
}

/// Name, style and form of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'a> {
    pub(crate) name: &'a str,
    pub(crate) style: Style,
    pub(crate) explode: bool,
}

/// Appends a text with every byte encoded that is not unreserved (RFC 3986, section 2.3). The result contains no
/// delimiter of a URL, so it cannot leave its place.
pub(crate) fn push_encoded(text: &str, to: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            to.push(char::from(byte));
        } else {
            to.push('%');
            for half in [byte >> 4, byte & 15] {
                to.push(HEX.get(usize::from(half)).copied().map_or('0', char::from));
            }
        }
    }
}

pub(crate) fn percent_encode(text: &str) -> String {
    let mut to = String::with_capacity(text.len());
    push_encoded(text, &mut to);
    to
}

/// Returns the text of a scalar, or `None` for a list or an object.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns the value of a path parameter, encoded.
///
/// # Errors
/// If a list or an object has another list or object in it.
pub(crate) fn path_value(form: Form<'_>, value: &Value) -> Result<String, String> {
    let name = percent_encode(form.name);
    let (prefix, separator) = match (form.style, form.explode) {
        (Style::Label, true) => (".".to_owned(), "."),
        (Style::Label, false) => (".".to_owned(), ","),
        (Style::Matrix, true) => (";".to_owned(), ";"),
        (Style::Matrix, false) => (format!(";{name}="), ","),
        _ => (String::new(), ","),
    };
    let is_matrix = form.style == Style::Matrix && form.explode;
    let joined = match value {
        _ if form.style == Style::Json => return Ok(percent_encode(&value.to_string())),
        Value::Array(items) => {
            let items = items.iter().map(|item| {
                let item = percent_encode(&flat(form.name, item)?);
                Ok(if is_matrix { format!("{name}={item}") } else { item })
            });
            items.collect::<Result<Vec<_>, String>>()?.join(separator)
        }
        Value::Object(members) => pairs(form, members, &percent_encode)?.join(separator),
        value => {
            let value = percent_encode(&flat(form.name, value)?);
            if is_matrix { format!("{name}={value}") } else { value }
        }
    };
    Ok(format!("{prefix}{joined}"))
}

/// Returns the fields of a query parameter, encoded: `name=value` texts without separators.
///
/// # Errors
/// If a value is nested deeper than the style can express.
pub(crate) fn query_fields(form: Form<'_>, value: &Value) -> Result<Vec<String>, String> {
    let name = percent_encode(form.name);
    let field = |value: &str| format!("{name}={value}");
    Ok(match (form.style, value) {
        (Style::Json, value) => vec![field(&percent_encode(&value.to_string()))],
        (Style::DeepObject, Value::Object(members)) => {
            let mut fields = Vec::new();
            for (key, value) in members {
                let value = percent_encode(&flat(form.name, value)?);
                fields.push(format!("{name}%5B{}%5D={value}", percent_encode(key)));
            }
            fields
        }
        (style, Value::Array(items)) => {
            let items = items.iter().map(|item| Ok(percent_encode(&flat(form.name, item)?)));
            let items = items.collect::<Result<Vec<_>, String>>()?;
            match style {
                _ if form.explode => items.iter().map(|item| field(item)).collect(),
                Style::SpaceDelimited => vec![field(&items.join("%20"))],
                Style::PipeDelimited => vec![field(&items.join("%7C"))],
                _ => vec![field(&items.join(","))],
            }
        }
        (_, Value::Object(members)) => {
            let pairs = pairs(form, members, &percent_encode)?;
            if form.explode { pairs } else { vec![field(&pairs.join(","))] }
        }
        (_, value) => vec![field(&percent_encode(&flat(form.name, value)?))],
    })
}

/// Returns the value of a header.
///
/// # Errors
/// If the value is nested, or has characters that a header cannot have.
pub(crate) fn header_value(form: Form<'_>, value: &Value) -> Result<String, String> {
    let text = match value {
        _ if form.style == Style::Json => value.to_string(),
        Value::Array(items) => {
            let items = items.iter().map(|item| flat(form.name, item));
            items.collect::<Result<Vec<_>, String>>()?.join(",")
        }
        Value::Object(members) => pairs(form, members, &str::to_owned)?.join(","),
        value => flat(form.name, value)?,
    };
    let is_visible = |byte: u8| (b' '..=b'~').contains(&byte);
    if text.bytes().all(is_visible) {
        return Ok(text);
    }
    Err(format!("`{}` has other characters than visible ASCII, which a header cannot have", form.name))
}

/// Returns the members of an object: `key=value` if the form is exploded, otherwise `key,value`.
fn pairs(
    form: Form<'_>,
    members: &Map<String, Value>,
    encode: &dyn Fn(&str) -> String,
) -> Result<Vec<String>, String> {
    let separator = if form.explode { '=' } else { ',' };
    let pair = |(key, value): (&String, &Value)| {
        Ok(format!("{}{separator}{}", encode(key), encode(&flat(form.name, value)?)))
    };
    members.iter().map(pair).collect()
}

fn flat(name: &str, value: &Value) -> Result<String, String> {
    scalar(value).ok_or_else(|| {
        format!("`{name}` has a list or an object inside of another one, which its place in the request cannot hold")
    })
}

#[cfg(test)]
mod tests;
