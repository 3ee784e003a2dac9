//! The groups of tools that a mode gives.

use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_protocol::Hints;

use crate::{Identity, catalogue};

/// A group of tools, as a mode gives them.
///
/// ```
/// use windlass_protocol::{Hints, ToolName};
/// use windlass_toolbox::{Identity, ToolGroup};
/// let own = |name| ToolName::new(name).map(Identity::own);
/// assert_eq!(ToolGroup::of(&own("apply_patch")?, Hints::default()), ToolGroup::Edit);
/// assert_eq!(ToolGroup::of(&own("lint")?, Hints::read_only()), ToolGroup::Read);
/// assert_eq!(ToolGroup::of(&own("deploy")?, Hints::default()), ToolGroup::Command);
/// # Ok::<(), windlass_protocol::NameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "six groups, named by the product")]
pub enum ToolGroup {
    /// Looks at the workspace.
    Read,
    /// Changes files.
    Edit,
    /// Runs programs.
    Command,
    /// Reaches the web.
    Browser,
    /// Comes from MCP servers.
    Mcp,
    /// Changes the mode, or begins a task in another. Every mode has these.
    Modes,
}

impl ToolGroup {
    /// All groups, in the order in which they are told.
    pub const ALL: [Self; 6] = [Self::Read, Self::Edit, Self::Command, Self::Browser, Self::Mcp, Self::Modes];

    /// The word for the group in files.
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

    /// The group of a tool: the catalogue's, else that of servers for what a server has. A tool that nobody here knows
    /// is in `read` if it says that it only reads what is here, else in `command`, the most that a mode can give.
    pub fn of(identity: &Identity, hints: Hints) -> Self {
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
