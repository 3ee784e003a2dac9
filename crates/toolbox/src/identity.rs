//! What a tool is registered under.

use sha2::{Digest, Sha256};
use windlass_protocol::ToolName;

/// What a tool is registered under: its own name, or the server that it comes from and its name there.
///
/// ```
/// use windlass_toolbox::Identity;
/// assert_eq!(Identity::mcp("files", "read").name().as_str(), "mcp__files__read");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    name: ToolName,
    /// Server and tool, as the server has them.
    remote: Option<(String, String)>,
}

/// What a name must not be longer than, so that the hash still fits.
const HEAD: usize = 200;

impl Identity {
    /// A tool of this program.
    pub fn own(name: ToolName) -> Self {
        Self { name, remote: None }
    }

    /// A tool of an MCP server: `mcp__server__tool` (RULES N2).
    ///
    /// Two tools never have one name: where the parts do not say by themselves where one ends and the other
    /// begins, as `a__b` and `c`, and where they are too long or have control characters, a hash of both
    /// follows.
    pub fn mcp(server: &str, tool: &str) -> Self {
        let joined = format!("mcp__{server}__{tool}");
        let is_clear = !server.contains("__") && !server.ends_with('_') && !tool.starts_with('_');
        let name = ToolName::new(joined.as_str()).ok().filter(|_| is_clear && joined.len() <= HEAD);
        let name = name.unwrap_or_else(|| hashed(&joined, server, tool));
        Self { name, remote: Some((server.to_owned(), tool.to_owned())) }
    }

    /// The name in the registry, which policy and configuration use.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// The server that it comes from and its name there, if it comes from one.
    pub fn remote(&self) -> Option<(&str, &str)> {
        self.remote.as_ref().map(|(server, tool)| (server.as_str(), tool.as_str()))
    }

    /// What a model may write for it besides the shown name: the name itself, and less of it.
    pub(crate) fn written(&self) -> Vec<String> {
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

fn hashed(joined: &str, server: &str, tool: &str) -> ToolName {
    let plain: String = joined.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    let head = plain.get(..plain.floor_char_boundary(HEAD)).unwrap_or_default();
    // The server's length tells the two parts apart, whatever they hold.
    let hash = hex(&format!("{}:{server}{tool}", server.len()));
    let hash = hash.get(..16).unwrap_or_default();
    ToolName::new(format!("{head}_{hash}")).expect("it is not empty, not long, and has no control character")
}

/// A hash of a text, in 64 hexadecimal digits.
pub(crate) fn hex(text: &str) -> String {
    use std::fmt::Write as _;
    Sha256::digest(text.as_bytes()).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
