//! Groups of tools.

use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_protocol::Hints;

use crate::{Identity, catalogue};

/// A group of tools that a mode can grant.
///
/// ```
/// use windlass_protocol::{Hints, ToolName};
/// use windlass_toolbox::{Identity, ToolGroup};
/// let own = |name| ToolName::new(name).map(Identity::own);
/// assert_eq!(ToolGroup::classify(&own("apply_patch")?, Hints::default()), ToolGroup::Edit);
/// assert_eq!(ToolGroup::classify(&own("lint")?, Hints::read_only()), ToolGroup::Read);
/// assert_eq!(ToolGroup::classify(&own("deploy")?, Hints::default()), ToolGroup::Command);
/// # Ok::<(), windlass_protocol::NameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "six groups, named by the product")]
pub enum ToolGroup {
    /// Tools that read the workspace.
    Read,
    /// Tools that change files.
    Edit,
    /// Tools that run programs.
    Command,
    /// Tools that access the web.
    Browser,
    /// Tools of MCP servers.
    Mcp,
    /// Tools that change the mode or start a task in another mode. Every mode grants them.
    Modes,
}

impl ToolGroup {
    /// All groups in display order.
    pub const ALL: [Self; 6] = [Self::Read, Self::Edit, Self::Command, Self::Browser, Self::Mcp, Self::Modes];

    /// Returns the name of the group in configuration files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Command => "command",
            Self::Browser => "browser",
            Self::Mcp => "mcp",
            Self::Modes => "modes",
        }
    }

    /// Returns the group of a tool. A server's tool is in `mcp`, and a well-known tool is in its catalogue
    /// group. Any other tool is classified by its hints: `read` if it only reads local data, `browser` if it
    /// only reads but accesses the network, otherwise `command`, the most permissive group.
    pub fn classify(identity: &Identity, hints: Hints) -> Self {
        if identity.remote().is_some() {
            return Self::Mcp;
        }
        catalogue::group(identity.name().as_str()).unwrap_or(match hints {
            Hints { read_only: true, open_world: false, .. } => Self::Read,
            Hints { read_only: true, .. } => Self::Browser,
            _ => Self::Command,
        })
    }
}

impl fmt::Display for ToolGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
