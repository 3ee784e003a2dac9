//! The base URL of an operation.

use std::collections::BTreeMap;

use crate::document::Entry;
use crate::node::Node;
use crate::text::one_line;
use crate::{OpenApi, OpenApiError, WebUrl};

/// The program's choices about servers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerChoice {
    pub(crate) base: Option<String>,
    pub(crate) variables: BTreeMap<String, String>,
}

impl ServerChoice {
    /// Returns the base URL for all operations: that of the program, else that of the document's first server.
    ///
    /// # Errors
    /// If neither names a server, or the server is not a URL for requests.
    pub(crate) fn base(&self, api: &OpenApi) -> Result<WebUrl, OpenApiError> {
        match &self.base {
            Some(base) => parse(base),
            None => self.first(&api.root).unwrap_or_else(|| {
                Err(fail("the document names no server; give one with `base_url`".to_owned()))
            }),
        }
    }

    /// Returns the base URL of an operation, which may have a server of its own.
    ///
    /// # Errors
    /// If its own server has another origin: credentials must not reach a host that the program did not see.
    pub(crate) fn base_of(&self, entry: &Entry<'_>, base: &WebUrl) -> Result<WebUrl, String> {
        if self.base.is_some() {
            return Ok(base.clone());
        }
        let own = [entry.node, entry.item].into_iter().find_map(|node| self.first(node));
        let Some(own) = own else { return Ok(base.clone()) };
        let own = own.map_err(|error| error.to_string())?;
        if own.endpoint() != base.endpoint() || own.is_encrypted() != base.is_encrypted() {
            let host = own.host();
            return Err(format!("its own server {host} has another origin; give one base with `base_url`"));
        }
        Ok(own)
    }

    fn first(&self, node: &Node) -> Option<Result<WebUrl, OpenApiError>> {
        let server = node.items_of("servers").first()?;
        Some(self.fill(server).and_then(|url| parse(&url)))
    }

    /// Replaces the variables of a server's URL by the program's values, or by their defaults.
    fn fill(&self, server: &Node) -> Result<String, OpenApiError> {
        let mut rest = server.str_of("url").unwrap_or_default();
        let mut url = String::new();
        while let Some((text, after)) = rest.split_once('{') {
            let (name, after) =
                after.split_once('}').ok_or_else(|| fail("a server has a `{` without a `}`".to_owned()))?;
            let variable = server.get("variables").and_then(|variables| variables.get(name));
            let default = match variable.and_then(|variable| variable.get("default")) {
                Some(Node::Text(text)) => Some(text.clone()),
                Some(Node::Number(number)) => Some(number.to_string()),
                _ => None,
            };
            let value = self.variables.get(name).cloned().or(default);
            let shown = one_line(name, 60);
            let value =
                value.ok_or_else(|| fail(format!("the variable `{shown}` of a server has no value")))?;
            let allowed = variable.map(|variable| variable.items_of("enum")).unwrap_or_default();
            if !allowed.is_empty() && !allowed.iter().any(|one| one.as_str() == Some(&value)) {
                return Err(fail(format!("{value:?} is not a value of the server's variable `{shown}`")));
            }
            url.push_str(text);
            url.push_str(&value);
            rest = after;
        }
        url.push_str(rest);
        Ok(url)
    }
}

fn parse(text: &str) -> Result<WebUrl, OpenApiError> {
    let shown = one_line(text, 200);
    if text.starts_with('/') || text.is_empty() {
        return Err(fail(format!("{shown:?} has no host; give the whole address with `base_url`")));
    }
    let url = WebUrl::parse(text).map_err(|refusal| fail(format!("{shown:?}: {refusal}")))?;
    if url.target().contains('?') {
        return Err(fail(format!("{shown:?} has a query")));
    }
    Ok(url)
}

fn fail(problem: String) -> OpenApiError {
    OpenApiError::BaseUrl { problem }
}
