//! `Plan`: the conversion of arguments to the request of an operation.

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::body::{self, BodyFormat};
use crate::encode::{self, Form, Style};
use crate::parameter::Location;
use crate::path_template::{Piece, has_dot_segment};
use crate::{Method, WebUrl};

/// An argument and its place in the request.
#[derive(Clone, Debug)]
pub(crate) struct BoundParameter {
    pub(crate) argument: String,
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    /// The properties that an exploded object may have; empty if its schema declares none.
    pub(crate) declared: Vec<String>,
}

/// The argument of the body.
#[derive(Clone, Debug)]
pub(crate) struct BoundBody {
    pub(crate) argument: String,
    pub(crate) format: BodyFormat,
    pub(crate) media: String,
    pub(crate) is_required: bool,
}

/// The parts of an operation's requests that do not depend on arguments.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) method: Method,
    pub(crate) base: WebUrl,
    pub(crate) path: Vec<Piece>,
    pub(crate) parameters: Vec<BoundParameter>,
    pub(crate) body: Option<BoundBody>,
    /// The query fields that hold credentials. No argument can have such a name.
    pub(crate) reserved_fields: Vec<String>,
    pub(crate) max_body: usize,
}

/// A request without its credentials.
#[derive(Clone, Debug)]
pub(crate) struct PlannedRequest {
    pub(crate) method: Method,
    pub(crate) url: WebUrl,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) media: Option<String>,
    pub(crate) body: Bytes,
}

impl Plan {
    /// Makes the request of a call. It sends nothing.
    ///
    /// # Errors
    /// If an argument is missing or cannot be sent in its place. The text is for the model.
    pub(crate) fn request(&self, arguments: &Map<String, Value>) -> Result<PlannedRequest, String> {
        let mut target = self.base.target().trim_end_matches('/').to_owned();
        target.push_str(&self.path(arguments)?);
        let fields = self.query(arguments)?;
        if !fields.is_empty() {
            target.push('?');
            target.push_str(&fields.join("&"));
        }
        let (media, body) = self.body(arguments)?;
        let url = join(&self.base, &target)?;
        Ok(PlannedRequest { method: self.method, url, headers: self.headers(arguments)?, media, body })
    }

    fn path(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        let mut path = String::new();
        for piece in &self.path {
            match piece {
                Piece::Literal(text) => path.push_str(text),
                Piece::Parameter(name) => {
                    let is_it =
                        |bound: &&BoundParameter| bound.location == Location::Path && bound.name == *name;
                    let bound = self.parameters.iter().find(is_it);
                    let bound = bound.ok_or_else(|| format!("`{name}` is not known"))?;
                    let value = value_of(arguments, &bound.argument);
                    let value = value.ok_or_else(|| format!("`{}` is missing", bound.argument))?;
                    let value = encode::path_value(bound.form(), value)?;
                    if value.is_empty() {
                        return Err(format!("`{}` is empty, and it is a part of the path", bound.argument));
                    }
                    path.push_str(&value);
                }
            }
        }
        if has_dot_segment(&path) {
            return Err(
                "an argument would make a part of the path `.` or `..`, which leads to another place".into(),
            );
        }
        Ok(path)
    }

    fn query(&self, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
        let mut fields = Vec::new();
        for bound in self.parameters.iter().filter(|bound| bound.location == Location::Query) {
            let Some(value) = value_of(arguments, &bound.argument) else { continue };
            if let Value::Object(members) = value
                && bound.explode
                && bound.style == Style::Form
            {
                members.keys().try_for_each(|key| self.check_field(bound, key))?;
            }
            fields.extend(encode::query_fields(bound.form(), value)?);
        }
        Ok(fields)
    }

    /// Checks a member of an object whose members are query fields: it must not be the field of another parameter.
    fn check_field(&self, bound: &BoundParameter, key: &str) -> Result<(), String> {
        let is_other = |other: &BoundParameter| other.location == Location::Query && other.name == key;
        let is_declared = bound.declared.is_empty() || bound.declared.iter().any(|name| name == key);
        let is_taken =
            self.parameters.iter().any(is_other) || self.reserved_fields.iter().any(|field| field == key);
        if is_declared && !is_taken {
            return Ok(());
        }
        Err(format!("`{}` has the member {key:?}, which is not one of its own", bound.argument))
    }

    fn headers(&self, arguments: &Map<String, Value>) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
        let mut headers = Vec::new();
        for bound in self.parameters.iter().filter(|bound| bound.location == Location::Header) {
            let Some(value) = value_of(arguments, &bound.argument) else { continue };
            let invalid = || format!("`{}` cannot be sent in a header", bound.argument);
            let name = HeaderName::from_bytes(bound.name.as_bytes()).map_err(|_| invalid())?;
            let value = encode::header_value(bound.form(), value)?;
            headers.push((name, HeaderValue::from_str(&value).map_err(|_| invalid())?));
        }
        Ok(headers)
    }

    fn body(&self, arguments: &Map<String, Value>) -> Result<(Option<String>, Bytes), String> {
        let Some(bound) = &self.body else { return Ok((None, Bytes::new())) };
        let Some(value) = arguments.get(&bound.argument) else {
            return if bound.is_required {
                Err(format!("`{}` is missing", bound.argument))
            } else {
                Ok((None, Bytes::new()))
            };
        };
        let text = match bound.format {
            BodyFormat::Json => value.to_string(),
            BodyFormat::Form => body::form(value)?,
        };
        if text.len() > self.max_body {
            let limit = self.max_body;
            return Err(format!("the body has {} bytes, and {limit} is the most", text.len()));
        }
        Ok((Some(bound.media.clone()), Bytes::from(text)))
    }
}

impl BoundParameter {
    fn form(&self) -> Form<'_> {
        Form { name: &self.name, style: self.style, explode: self.explode }
    }
}

/// Returns an argument. Null has the meaning of a missing argument.
fn value_of<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    arguments.get(name).filter(|value| !value.is_null())
}

/// Appends a request target to the origin of the base. A parser of URLs must read exactly this target back.
pub(crate) fn join(base: &WebUrl, target: &str) -> Result<WebUrl, String> {
    let origin = base.as_str().strip_suffix(base.target()).unwrap_or(base.as_str());
    let url = WebUrl::parse(&format!("{origin}{target}")).map_err(|refusal| refusal.to_string())?;
    if url.endpoint() != base.endpoint()
        || url.target() != target
        || url.is_encrypted() != base.is_encrypted()
    {
        return Err("an argument would change the address of the request".to_owned());
    }
    Ok(url)
}
