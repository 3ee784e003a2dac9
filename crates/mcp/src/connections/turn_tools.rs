//! The tools of all servers in one turn, by server and name.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use windlass_tool::{Tool, ToolError};
use windlass_toolbox::{Identity, ToolboxBuilder};

use crate::McpClient;

/// Maximum number of names in an error text.
const MAX_NAMES: usize = 40;

/// A snapshot of the tools at the start of a turn, by server and by the server's own name. It is replaced as a
/// whole, so that a name keeps its meaning within a turn (RULES M1).
#[derive(Default)]
pub(crate) struct TurnTools(RwLock<Rows>);

type Rows = BTreeMap<String, BTreeMap<String, Arc<dyn Tool>>>;

impl TurnTools {
    /// Replaces the snapshot by the current tools of the clients.
    pub(crate) fn renew<'a>(&self, clients: impl Iterator<Item = &'a McpClient>) {
        let of_client = |client: &McpClient| {
            let named = client.tools_with_identities().into_iter().filter_map(|(identity, tool)| {
                let (_, name) = identity.remote()?;
                Some((name.to_owned(), tool))
            });
            (client.id().to_owned(), named.collect())
        };
        let rows = clients.map(of_client).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = rows;
    }

    fn rows(&self) -> RwLockReadGuard<'_, Rows> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn all(&self) -> Vec<Arc<dyn Tool>> {
        self.rows().values().flat_map(BTreeMap::values).cloned().collect()
    }

    /// Returns the server ids and the names of their tools, both sorted.
    pub(crate) fn names(&self) -> Vec<(String, Vec<String>)> {
        let rows = self.rows();
        rows.iter().map(|(server, tools)| (server.clone(), tools.keys().cloned().collect())).collect()
    }

    pub(crate) fn get(&self, server: &str, tool: &str) -> Option<Arc<dyn Tool>> {
        self.rows().get(server)?.get(tool).cloned()
    }

    pub(crate) fn add_to(&self, builder: ToolboxBuilder) -> ToolboxBuilder {
        self.rows().iter().fold(builder, |builder, (server, tools)| {
            tools.iter().fold(builder, |builder, (name, tool)| {
                builder.tool_as(Identity::mcp(server, name), tool.clone())
            })
        })
    }

    /// Returns an error text that lists the existing servers, or the tools of the server (RULES M6).
    pub(crate) fn unknown(
        &self,
        clients: &BTreeMap<String, McpClient>,
        server: &str,
        tool: &str,
    ) -> ToolError {
        let Some(client) = clients.get(server) else {
            let known = list_names(clients.keys());
            return ToolError::model(format!("unknown server {server}; known servers: {known}"));
        };
        if !client.server().enables(tool) {
            return ToolError::model(format!(
                "{tool} of the server {server} is switched off; nothing was sent"
            ));
        }
        let known = list_names(self.rows().get(server).into_iter().flat_map(BTreeMap::keys));
        ToolError::model(format!("the server {server} has no tool {tool}; it has: {known}"))
    }
}

/// Lists names for an error text, and counts those beyond the maximum.
pub(super) fn list_names<'a>(mut names: impl Iterator<Item = &'a String>) -> String {
    let shown: Vec<&str> = names.by_ref().take(MAX_NAMES).map(String::as_str).collect();
    if shown.is_empty() {
        return "none".to_owned();
    }
    let shown = shown.join(", ");
    match names.count() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
