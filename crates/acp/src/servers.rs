//! MCP servers that the client passes with a session.

use std::fmt;

use serde::Deserialize;
use windlass_app::mcp::{ConfiguredServer, ServerEntry};

use crate::rpc::RpcError;

/// Largest number of servers of a session.
const MAX_SERVERS: usize = 64;

/// Longest name of a server that a run can use.
const MAX_NAME: usize = 64;

/// Server of the client. Its variables and headers can contain secrets.
#[derive(Clone, Default, Deserialize)]
pub(crate) struct ClientServer {
    /// The transport: missing for a program.
    #[serde(default, rename = "type")]
    transport: Option<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    args: Option<Vec<String>>,
    #[serde(default)]
    env: Option<Vec<NamedValue>>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    headers: Option<Vec<NamedValue>>,
}

/// Variable or header.
#[derive(Clone, Deserialize)]
struct NamedValue {
    name: String,
    value: String,
}

impl fmt::Debug for ClientServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientServer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Converts the servers of a client.
///
/// # Errors
///
/// Fails for too many servers, an unknown transport, and an entry that a run cannot use.
pub(crate) fn to_configured(servers: &[ClientServer]) -> Result<Vec<ConfiguredServer>, RpcError> {
    if servers.len() > MAX_SERVERS {
        return Err(RpcError::invalid_params(format!("a session has at most {MAX_SERVERS} MCP servers")));
    }
    let mut names: Vec<String> = Vec::new();
    let mut converted = Vec::new();
    for server in servers {
        let name = to_name(&server.name);
        if name.is_empty() || names.contains(&name) {
            return Err(RpcError::invalid_params(format!(
                "the name {:?} of an MCP server is empty or used twice",
                server.name
            )));
        }
        converted.push(ConfiguredServer::for_user(name.clone(), to_entry(server)?)?);
        names.push(name);
    }
    Ok(converted)
}

fn to_entry(server: &ClientServer) -> Result<ServerEntry, RpcError> {
    let pairs = |pairs: &Option<Vec<NamedValue>>| {
        let pairs = pairs.iter().flatten();
        pairs.map(|pair| (pair.name.clone(), pair.value.clone())).collect()
    };
    match (server.transport.as_deref(), &server.command, &server.url) {
        (None | Some("stdio"), Some(command), _) => {
            let mut entry = ServerEntry::for_command(command, server.args.clone().unwrap_or_default());
            entry.env = pairs(&server.env);
            Ok(entry)
        }
        (Some("http"), _, Some(url)) => {
            let mut entry = ServerEntry::for_url(url);
            entry.http_headers = pairs(&server.headers);
            Ok(entry)
        }
        (Some("sse"), ..) => {
            Err(RpcError::invalid_params("MCP servers with the transport SSE are not supported"))
        }
        _ => Err(RpcError::invalid_params("an MCP server has a command, or the type http and a url")),
    }
}

/// Replaces the characters of a display name that the name of a server cannot have.
fn to_name(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    let letters = name.trim().chars().take(MAX_NAME);
    letters.map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests;
