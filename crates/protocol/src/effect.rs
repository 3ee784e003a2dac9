//! The effects of a call on its environment.

use serde::{Deserialize, Serialize};

/// One effect that a call would have, declared before the call runs.
///
/// Policy decides by effects instead of tool names, so that existing rules cover new tools. Paths inside the
/// workspace are relative to it and use `/` as separator; other paths are as the model wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Reads a file or lists the names in a folder.
    Read {
        /// The path of the file or folder.
        path: String,
    },
    /// Reads a folder and everything below it, or a file if the path is a file.
    ReadTree {
        /// The path.
        path: String,
    },
    /// Creates or changes a file.
    Write {
        /// The path.
        path: String,
        /// The size of the file after the call in bytes, if the tool knows it before the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
    },
    /// May create or change everything below a folder, or a file if the path is a file.
    WriteTree {
        /// The path.
        path: String,
    },
    /// Removes a file or an empty folder.
    Delete {
        /// The path.
        path: String,
    },
    /// Removes or moves a folder and everything below it.
    DeleteTree {
        /// The path.
        path: String,
    },
    /// Starts a process.
    Execute {
        /// The command line in shell syntax.
        command: String,
        /// The working directory.
        directory: String,
    },
    /// Opens a network connection.
    Connect {
        /// The host name or address.
        host: String,
        /// The port.
        port: u16,
    },
    /// Calls a tool of an MCP server.
    Mcp {
        /// The configured name of the server.
        server: String,
        /// The tool's name on the server.
        tool: String,
        /// A digest of the tool's name, description and schemas, so that a changed tool counts as another
        /// tool.
        fingerprint: String,
        /// True if a human has accepted the tool with this fingerprint before.
        known: bool,
    },
    /// Starts another agent.
    Spawn {
        /// The name of the agent.
        agent: String,
    },
    /// Communicates with the human or keeps notes inside the run, without an external effect.
    Internal,
    /// The tool cannot determine its effects. Policy must assume the worst case.
    Unknown,
}

impl Effect {
    /// Returns the name of this kind of effect in policy rules.
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

    /// Returns the path of the effect, if it has one.
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

    /// Returns whether the effect includes everything below its path. A rule about a path below it then also
    /// applies to this effect.
    ///
    /// ```
    /// use windlass_protocol::Effect;
    /// assert!(Effect::ReadTree { path: "src".into() }.reaches_below());
    /// assert!(!Effect::Read { path: "src".into() }.reaches_below());
    /// ```
    pub fn reaches_below(&self) -> bool {
        matches!(self, Self::ReadTree { .. } | Self::WriteTree { .. } | Self::DeleteTree { .. })
    }

    /// Returns whether the effect only reads files.
    pub fn is_read(&self) -> bool {
        matches!(self, Self::Read { .. } | Self::ReadTree { .. })
    }
}
