//! Parameters of an operation.

use hyper::header::HeaderName;
use indexmap::IndexMap;

use crate::OpenApi;
use crate::document::Entry;
use crate::encode::Style;
use crate::node::Node;
use crate::text::one_line;

/// Maximum number of parameters of an operation.
const MAX_PARAMETERS: usize = 200;
/// Maximum length of a parameter's name in bytes.
const MAX_NAME: usize = 100;
/// Headers that the client or the credentials set. A parameter with such a name is not an argument.
const OWN_HEADERS: [&str; 16] = [
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Place of a parameter in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Location {
    Path,
    Query,
    Header,
}

/// A parameter of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a str,
    pub(crate) location: Location,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) is_required: bool,
    pub(crate) schema: Option<&'a Node>,
    pub(crate) description: Option<&'a str>,
}

impl Location {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

/// Returns the parameters of an operation. Those of the operation replace those of its path item.
///
/// # Errors
/// If a parameter is invalid or cannot be sent. The error names it.
pub(crate) fn parse<'a>(api: &'a OpenApi, entry: &Entry<'a>) -> Result<Vec<Parameter<'a>>, String> {
    let mut found: IndexMap<(&str, &str), &Node> = IndexMap::new();
    let lists = [entry.item, entry.node].into_iter().flat_map(|node| node.items_of("parameters"));
    for node in lists {
        let node = api.resolve(node, "a parameter").map_err(|error| error.to_string())?;
        let (Some(name), Some(location)) = (node.str_of("name"), node.str_of("in")) else {
            return Err("a parameter has no `name` or no `in`".to_owned());
        };
        found.insert((name, location), node);
        if found.len() > MAX_PARAMETERS {
            return Err(format!("it has more than {MAX_PARAMETERS} parameters"));
        }
    }
    let parameters = found.into_iter().map(|((name, location), node)| parse_one(name, location, node));
    parameters.filter_map(Result::transpose).collect()
}

/// Parses a parameter. Returns `None` for an optional one that is not sent.
fn parse_one<'a>(name: &'a str, location: &str, node: &'a Node) -> Result<Option<Parameter<'a>>, String> {
    let shown = one_line(name, MAX_NAME);
    if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(format!(
            "the name of its parameter `{shown}` is empty, too long or has control characters"
        ));
    }
    let is_required = node.is_set("required");
    let location = match location {
        "path" => Location::Path,
        "query" => Location::Query,
        "header" if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) => return Ok(None),
        "header" if HeaderName::from_bytes(name.as_bytes()).is_err() => {
            return Err(format!("its parameter `{shown}` is not the name of a header"));
        }
        "header" => Location::Header,
        "cookie" if is_required => {
            return Err(format!("its parameter `{shown}` is a cookie, and cookies are not sent"));
        }
        "cookie" => return Ok(None),
        other => {
            return Err(format!("its parameter `{shown}` has the unknown place {:?}", one_line(other, 40)));
        }
    };
    let (schema, is_json) = match node.get("content").and_then(Node::as_map).and_then(|map| map.first()) {
        None => (node.get("schema"), false),
        Some((media, content)) if crate::body::is_json(media) => (content.get("schema"), true),
        Some((media, _)) => {
            let media = one_line(media, 60);
            return Err(format!("its parameter `{shown}` is sent as {media}, which is not supported"));
        }
    };
    let style = if is_json { Style::Json } else { style(location, node.str_of("style"), &shown)? };
    let explode = match node.get("explode") {
        Some(Node::Bool(explode)) => *explode,
        _ => style == Style::Form,
    };
    Ok(Some(Parameter {
        name,
        location,
        style,
        explode,
        is_required: is_required || location == Location::Path,
        schema,
        description: node.str_of("description"),
    }))
}

fn style(location: Location, style: Option<&str>, shown: &str) -> Result<Style, String> {
    Ok(match (location, style) {
        (Location::Path | Location::Header, None | Some("simple")) => Style::Simple,
        (Location::Path, Some("label")) => Style::Label,
        (Location::Path, Some("matrix")) => Style::Matrix,
        (Location::Query, None | Some("form")) => Style::Form,
        (Location::Query, Some("spaceDelimited")) => Style::SpaceDelimited,
        (Location::Query, Some("pipeDelimited")) => Style::PipeDelimited,
        (Location::Query, Some("deepObject")) => Style::DeepObject,
        (_, Some(other)) => {
            let (other, place) = (one_line(other, 40), location.as_str());
            return Err(format!("its {place} parameter `{shown}` has the unknown style {other:?}"));
        }
    })
}

impl Parameter<'_> {
    /// Returns the properties that the schema of an object declares, directly or in `allOf`. Empty if it declares
    /// none.
    pub(crate) fn find_properties(&self, api: &OpenApi) -> Vec<String> {
        let mut names = Vec::new();
        let mut open: Vec<&Node> = self.schema.into_iter().collect();
        // A bounded walk: a schema of a parameter has few parts, and references can form a circle.
        for _ in 0..64 {
            let Some(node) = open.pop() else { break };
            let Ok(node) = api.resolve(node, "a parameter") else { continue };
            names.extend(node.members_of("properties").map(|(name, _)| name.clone()));
            open.extend(node.items_of("allOf"));
        }
        names
    }
}
