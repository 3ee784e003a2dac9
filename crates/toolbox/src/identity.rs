//! The identity under which a tool is registered.

use sha2::{Digest, Sha256};
use windlass_protocol::ToolName;

/// The identity under which a tool is registered: its own name, or a name derived from a server and the
/// tool's name there.
///
/// ```
/// use windlass_toolbox::Identity;
/// assert_eq!(Identity::mcp("files", "read").name().as_str(), "mcp__files__read");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    name: ToolName,
    /// Server name and tool name as the server defines them.
    remote: Option<(String, String)>,
}

/// The maximum length of a name before the hash, in bytes.
const HEAD: usize = 200;

impl Identity {
    /// Creates the identity of one of the program's own tools.
    pub fn own(name: ToolName) -> Self {
        Self { name, remote: None }
    }

    /// Creates the identity of an MCP server's tool: `mcp__server__tool` (RULES N2).
    ///
    /// Identities are unique. A hash of both parts is appended if the joined name is ambiguous (`a__b` and
    /// `c` against `a` and `b__c`), is too long, or contains control characters.
    pub fn mcp(server: &str, tool: &str) -> Self {
        let joined = format!("mcp__{server}__{tool}");
        let is_clear = !server.contains("__") && !server.ends_with('_') && !tool.starts_with('_');
        let name = ToolName::new(joined.as_str()).ok().filter(|_| is_clear && joined.len() <= HEAD);
        let name = name.unwrap_or_else(|| hash_name(&joined, server, tool));
        Self { name, remote: Some((server.to_owned(), tool.to_owned())) }
    }

    /// Returns the name in the registry, which policy and configuration use.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// Returns the server and the tool's name there, for a server's tool.
    pub fn remote(&self) -> Option<(&str, &str)> {
        self.remote.as_ref().map(|(server, tool)| (server.as_str(), tool.as_str()))
    }

    /// Returns the names that a model may write besides the display name: the registered name and, for a
    /// server's tool, shorter forms.
    pub(crate) fn list_names(&self) -> Vec<String> {
        let mut names = vec![self.name.as_str().to_owned()];
        if let Some((server, tool)) = &self.remote {
            names.push(tool.clone());
            names.push(format!("{server}__{tool}"));
            names.push(format!("mcp__{server}__{tool}"));
        }
        names
    }
}

impl From<ToolName> for Identity {
    fn from(name: ToolName) -> Self {
        Self::own(name)
    }
}

fn hash_name(joined: &str, server: &str, tool: &str) -> ToolName {
    let plain: String = joined.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    let head = plain.get(..plain.floor_char_boundary(HEAD)).unwrap_or_default();
    // The length prefix makes the concatenation of server and tool unambiguous.
    let hash = hex(&format!("{}:{server}{tool}", server.len()));
    let hash = hash.get(..16).unwrap_or_default();
    ToolName::new(format!("{head}_{hash}")).expect("it is not empty, not long, and has no control character")
}

/// Returns the SHA-256 hash of a text in 64 hexadecimal digits.
pub(crate) fn hex(text: &str) -> String {
    use std::fmt::Write as _;
    Sha256::digest(text.as_bytes()).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
