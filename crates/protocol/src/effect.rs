//! What a call would do to the world.

use serde::{Deserialize, Serialize};

/// One thing that a call would do, told before it runs.
///
/// Policy judges effects and not tool names, so that a new tool is covered by old rules. Paths are relative
/// to the workspace with `/` between names where they lie inside it, else as the model wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Reads a file, or the names in a folder.
    Read {
        /// The path.
        path: String,
    },
    /// Reads a folder and everything below it, or a file where the path is a file.
    ReadTree {
        /// The path.
        path: String,
    },
    /// Makes a file or changes it.
    Write {
        /// The path.
        path: String,
        /// How many bytes the file would have, where the tool knows it before it runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
    },
    /// May make or change everything below a folder, or a file where the path is a file.
    WriteTree {
        /// The path.
        path: String,
    },
    /// Removes a file or an empty folder.
    Delete {
        /// The path.
        path: String,
    },
    /// Removes a folder and everything below it, or moves it away.
    DeleteTree {
        /// The path.
        path: String,
    },
    /// Starts a process.
    Execute {
        /// The command as a shell would read it.
        command: String,
        /// The folder in which it starts.
        directory: String,
    },
    /// Opens a connection.
    Connect {
        /// The host's name or address.
        host: String,
        /// The port.
        port: u16,
    },
    /// Calls a tool of an MCP server.
    Mcp {
        /// The server, as it is configured.
        server: String,
        /// The tool, by the server's own name for it.
        tool: String,
        /// A digest of the tool's name, words and schemas, so that a changed tool is another tool.
        fingerprint: String,
        /// Whether a human has accepted the tool with exactly this fingerprint before.
        known: bool,
    },
    /// Hands work to another agent.
    Spawn {
        /// The agent's name.
        agent: String,
    },
    /// Speaks with the human or keeps notes inside the run; nothing outside changes.
    Internal,
    /// The tool cannot say. Policy has to assume the worst.
    Unknown,
}

impl Effect {
    /// The word that policy rules use for this kind of effect.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Read { .. } | Self::ReadTree { .. } => "read",
            Self::Write { .. } | Self::WriteTree { .. } => "write",
            Self::Delete { .. } | Self::DeleteTree { .. } => "delete",
            Self::Execute { .. } => "execute",
            Self::Connect { .. } => "network",
            Self::Mcp { .. } => "mcp",
            Self::Spawn { .. } => "spawn",
            Self::Internal => "internal",
            Self::Unknown => "unknown",
        }
    }

    /// The path that is touched, where the effect has one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Read { path }
            | Self::ReadTree { path }
            | Self::Write { path, .. }
            | Self::WriteTree { path }
            | Self::Delete { path }
            | Self::DeleteTree { path } => Some(path),
            Self::Execute { .. }
            | Self::Connect { .. }
            | Self::Mcp { .. }
            | Self::Spawn { .. }
            | Self::Internal
            | Self::Unknown => None,
        }
    }

    /// Returns whether the effect also reaches everything below its path. A rule about one of those paths is then a
    /// rule about this effect, too.
    ///
    /// ```
    /// use windlass_protocol::Effect;
    /// assert!(Effect::ReadTree { path: "src".into() }.reaches_below());
    /// assert!(!Effect::Read { path: "src".into() }.reaches_below());
    /// ```
    pub fn reaches_below(&self) -> bool {
        matches!(self, Self::ReadTree { .. } | Self::WriteTree { .. } | Self::DeleteTree { .. })
    }

    /// Returns whether the effect reads files and changes nothing.
    pub fn is_read(&self) -> bool {
        matches!(self, Self::Read { .. } | Self::ReadTree { .. })
    }
}
