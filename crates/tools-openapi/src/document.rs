//! `OpenApi`: a parsed document and its operations.

use std::fmt;

use crate::node::Node;
use crate::text::{cut, one_line};
use crate::{Method, OpenApiError, json, yaml};

/// Maximum length of a document in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of references that lead to each other.
const MAX_CHAIN: usize = 32;

/// A document in OpenAPI 3.0 or 3.1.
///
/// A document is data of its author, so parsing is bounded: 8 MiB, a million values, 127 levels. References lead only
/// to places of the same document.
///
/// ```
/// use windlass_tools_openapi::OpenApi;
/// let api = OpenApi::parse(b"
/// openapi: 3.1.0
/// info: {title: Pets, version: '1'}
/// servers: [{url: https://pets.example/v1}]
/// paths:
///   /pets/{id}:
///     get: {operationId: getPet, parameters: [{name: id, in: path, required: true, schema: {type: integer}}]}
/// ")?;
/// let operation = api.operations().next().unwrap();
/// assert_eq!((operation.id.as_deref(), operation.path.as_str()), (Some("getPet"), "/pets/{id}"));
/// # Ok::<(), windlass_tools_openapi::OpenApiError>(())
/// ```
#[derive(Clone)]
pub struct OpenApi {
    pub(crate) root: Node,
}

/// An operation of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationSummary {
    /// The `operationId`, if the operation has one.
    pub id: Option<String>,
    /// The method.
    pub method: Method,
    /// The path with its parameters, such as `/pets/{id}`.
    pub path: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The summary, on one line of at most 200 characters; empty if the operation has none.
    pub summary: String,
}

/// A reference to an operation in the document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) method: Method,
    pub(crate) path: &'a str,
    /// The path item, with the parameters and servers that its operations share.
    pub(crate) item: &'a Node,
    pub(crate) node: &'a Node,
}

impl OpenApi {
    /// Parses a document in JSON or YAML. A document that begins with `{` is JSON.
    ///
    /// YAML is read in its core schema. Aliases, tags and several documents are refused.
    ///
    /// # Errors
    /// If the document is too long or too deep, is not JSON or YAML, repeats a key, has another version than 3.0 and
    /// 3.1, or a path refers to another document.
    pub fn parse(document: &[u8]) -> Result<Self, OpenApiError> {
        if document.len() > MAX_BYTES {
            return Err(OpenApiError::TooLong { bytes: document.len(), limit: MAX_BYTES });
        }
        let text = std::str::from_utf8(document).map_err(|error| OpenApiError::Syntax {
            format: "text",
            message: format!("byte {} is not UTF-8", error.valid_up_to()),
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_json = text.trim_start().starts_with('{');
        let api = Self { root: if is_json { json::parse(text)? } else { yaml::parse(text)? } };
        api.check_version()?;
        api.entries()?;
        Ok(api)
    }

    /// Returns the operations in the order of the document.
    pub fn operations(&self) -> impl Iterator<Item = OperationSummary> + '_ {
        // `parse` has checked that the entries can be listed.
        self.entries().unwrap_or_default().into_iter().map(|entry| OperationSummary {
            id: entry.id().map(str::to_owned),
            method: entry.method,
            path: entry.path.to_owned(),
            tags: entry.tags().map(str::to_owned).collect(),
            summary: one_line(entry.node.str_of("summary").unwrap_or_default(), 200),
        })
    }

    /// Returns references to the operations.
    pub(crate) fn entries(&self) -> Result<Vec<Entry<'_>>, OpenApiError> {
        let mut entries = Vec::new();
        for (path, item) in self.root.members_of("paths").filter(|(path, _)| path.starts_with('/')) {
            let item = self.resolve(item, &format!("the path {}", one_line(path, 200)))?;
            for (key, node) in item.as_map().into_iter().flatten() {
                if let Some(method) = Method::ALL.into_iter().find(|method| method.key() == key) {
                    entries.push(Entry { method, path, item, node });
                }
            }
        }
        Ok(entries)
    }

    fn check_version(&self) -> Result<(), OpenApiError> {
        let version = match self.root.get("openapi") {
            Some(Node::Text(version)) => version.clone(),
            Some(Node::Number(version)) => version.to_string(),
            _ if self.root.get("swagger").is_some() => return Err(OpenApiError::Swagger),
            _ => String::new(),
        };
        let is_known = ["3.0", "3.1"].iter().any(|known| {
            version.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        if is_known { Ok(()) } else { Err(OpenApiError::Version { version: one_line(&version, 40) }) }
    }

    /// Returns the value at a reference, which may be a reference itself.
    ///
    /// # Errors
    /// If the reference leads to another document or to nothing. The error names `place`.
    pub(crate) fn target(&self, reference: &str, place: &str) -> Result<&Node, OpenApiError> {
        let shown = one_line(reference, 200);
        let Some(pointer) = reference.strip_prefix('#') else {
            let problem = format!(
                "the reference {shown:?} leads to another document, and only references inside of the \
                 document are followed"
            );
            return Err(OpenApiError::document(place, problem));
        };
        let found = match pointer.strip_prefix('/') {
            Some(pointer) => follow(&self.root, pointer),
            None => pointer.is_empty().then_some(&self.root),
        };
        found
            .ok_or_else(|| OpenApiError::document(place, format!("the reference {shown:?} leads to nothing")))
    }

    /// Follows the references of a value that is not a schema, such as a parameter.
    ///
    /// # Errors
    /// As for [`Self::target`], and if more than 32 references lead to each other.
    pub(crate) fn resolve<'a>(&'a self, node: &'a Node, place: &str) -> Result<&'a Node, OpenApiError> {
        let mut node = node;
        for _ in 0..MAX_CHAIN {
            match node.str_of("$ref") {
                Some(reference) => node = self.target(reference, place)?,
                None => return Ok(node),
            }
        }
        Err(OpenApiError::document(place, "its references lead to each other"))
    }
}

impl fmt::Debug for OpenApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.root.get("paths").and_then(Node::as_map).map_or(0, indexmap::IndexMap::len);
        f.debug_struct("OpenApi").field("paths", &paths).finish_non_exhaustive()
    }
}

impl<'a> Entry<'a> {
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.node.str_of("operationId")
    }

    pub(crate) fn tags(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.node.items_of("tags").iter().filter_map(Node::as_str)
    }

    /// Returns the method and the path, for errors.
    pub(crate) fn label(&self) -> String {
        let path = one_line(self.path, 200);
        match self.id() {
            Some(id) => format!("{} {path} ({})", self.method, one_line(id, 100)),
            None => format!("{} {path}", self.method),
        }
    }
}

/// Follows a JSON Pointer in a URI fragment.
fn follow<'a>(root: &'a Node, pointer: &str) -> Option<&'a Node> {
    pointer.split('/').try_fold(root, |node, token| {
        let token = decode_percent(token).replace("~1", "/").replace("~0", "~");
        match node {
            Node::Map(members) => members.get(&token),
            Node::List(items) => items.get(token.parse::<usize>().ok()?),
            _ => None,
        }
    })
}

/// Decodes `%XX`. Invalid sequences stay as they are.
fn decode_percent(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        bytes.extend_from_slice(cut(rest, at).as_bytes());
        let code = rest.get(at.saturating_add(1)..at.saturating_add(3));
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = rest.get(at.saturating_add(3)..).unwrap_or_default();
        } else {
            bytes.push(b'%');
            rest = rest.get(at.saturating_add(1)..).unwrap_or_default();
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}
