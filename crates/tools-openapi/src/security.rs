//! Security schemes, and the requirement of an operation that the program can fulfil.

use hyper::header::HeaderName;

use crate::OpenApi;
use crate::credentials::Keyring;
use crate::document::Entry;
use crate::node::Node;
use crate::text::one_line;

/// Place of a credential in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    Header(HeaderName),
    Query(String),
    Bearer,
    Basic,
}

/// A security scheme that an operation uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecurityScheme {
    pub(crate) name: String,
    pub(crate) placement: Placement,
}

/// Returns the schemes of the first requirement whose credentials the program has. Empty if the operation needs none.
///
/// # Errors
/// If the program cannot fulfil any requirement. The error names the missing credentials.
pub(crate) fn choose(
    api: &OpenApi,
    entry: &Entry<'_>,
    keyring: &Keyring,
) -> Result<Vec<SecurityScheme>, String> {
    let security = entry.node.get("security").or_else(|| api.root.get("security"));
    let requirements = security.and_then(Node::as_list).unwrap_or_default();
    let mut problems = Vec::new();
    let mut is_optional = requirements.is_empty();
    for requirement in requirements.iter().take(32).filter_map(Node::as_map) {
        if requirement.is_empty() {
            is_optional = true;
            continue;
        }
        let schemes = requirement.keys().take(16).map(|name| scheme(api, name, keyring));
        match schemes.collect::<Result<Vec<_>, _>>() {
            Ok(schemes) => return Ok(schemes),
            Err(problem) => problems.push(problem),
        }
    }
    if is_optional { Ok(Vec::new()) } else { Err(problems.join("; or ")) }
}

/// Returns a scheme whose credential the program has.
fn scheme(api: &OpenApi, name: &str, keyring: &Keyring) -> Result<SecurityScheme, String> {
    let shown = one_line(name, 100);
    let schemes = api.root.get("components").and_then(|components| components.get("securitySchemes"));
    let node = schemes.and_then(|schemes| schemes.get(name));
    let node = node.ok_or_else(|| format!("the document does not define its security scheme `{shown}`"))?;
    let node = api.resolve(node, "a security scheme").map_err(|error| error.to_string())?;
    let placement = placement(node, &shown)?;
    if keyring.get(name).is_none() {
        return Err(format!("it needs a credential for the security scheme `{shown}`"));
    }
    Ok(SecurityScheme { name: name.to_owned(), placement })
}

fn placement(node: &Node, shown: &str) -> Result<Placement, String> {
    let kind = node.str_of("type").unwrap_or_default();
    let http = node.str_of("scheme").unwrap_or_default().to_ascii_lowercase();
    let unsupported = |what: &str| format!("its security scheme `{shown}` is {what}, which is not supported");
    match (kind, http.as_str(), node.str_of("in"), node.str_of("name")) {
        ("apiKey", _, Some("header"), Some(name)) => HeaderName::from_bytes(name.as_bytes())
            .map(Placement::Header)
            .map_err(|_| unsupported("a key in an invalid header")),
        ("apiKey", _, Some("query"), Some(name)) => Ok(Placement::Query(name.to_owned())),
        ("apiKey", _, Some("cookie"), _) => Err(unsupported("a cookie")),
        ("http", "basic", ..) => Ok(Placement::Basic),
        ("http", "bearer", ..) | ("oauth2" | "openIdConnect", ..) => Ok(Placement::Bearer),
        ("http", other, ..) => Err(unsupported(&format!("HTTP {}", one_line(other, 40)))),
        (other, ..) => Err(unsupported(&format!("of the type {:?}", one_line(other, 40)))),
    }
}
