//! The effects of a call on its environment.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One effect that a call would have, declared before the call runs.
///
/// Policy decides by effects instead of tool names, so that existing rules cover new tools. Paths inside the
/// workspace are relative to it and use `/` as separator; other paths are as the model wrote them. A call can have
/// several effects; one without effects of its own, such as a calculation, is [`Internal`](Self::Internal).
///
/// ```
/// use windlass_protocol::Effect;
///
/// let copy = [
///     Effect::Read { path: "notes/a.md".to_owned() },
///     Effect::Write { path: "notes/b.md".to_owned(), bytes: Some(512) },
/// ];
/// let payment = Effect::custom("payment", "account-7");
/// assert!(!copy.contains(&payment));
/// ```
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
    /// An effect of the application's own domain, such as a payment, a mail or a change in a database. Policy
    /// rules name it by its kind, its target and its amount.
    Custom {
        /// The kind in the application's own words, with dots between levels: `payment`, `mail.send`,
        /// `database.write`.
        kind: String,
        /// The object that is affected: an account, a recipient, a table.
        target: String,
        /// The amount, if the effect has one. A call that costs money states it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        amount: Option<Amount>,
    },
    /// Communicates with the human or keeps notes inside the run, without an external effect.
    Internal,
    /// The tool cannot determine its effects. Policy must assume the worst case.
    Unknown,
}

/// An amount of a [custom effect](Effect::Custom): a whole number of a unit.
///
/// ```
/// use windlass_protocol::Amount;
/// assert_eq!(Amount::new(4_000, "EUR-cent").to_string(), "4000 EUR-cent");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Amount {
    /// The number of units.
    pub value: u64,
    /// The unit. Rules compare amounts of equal units only, so choose the smallest unit of a currency.
    pub unit: String,
}

impl Amount {
    /// Creates an amount.
    pub fn new(value: u64, unit: impl Into<String>) -> Self {
        Self { value, unit: unit.into() }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.value, self.unit)
    }
}

impl Effect {
    /// Creates an effect of the application's own domain, without an amount.
    ///
    /// ```
    /// use windlass_protocol::Effect;
    /// let effect = Effect::custom("payment", "suppliers/acme").with_amount(4_000, "EUR-cent");
    /// assert_eq!(effect.kind(), "custom");
    /// ```
    pub fn custom(kind: impl Into<String>, target: impl Into<String>) -> Self {
        Self::Custom { kind: kind.into(), target: target.into(), amount: None }
    }

    /// Sets the amount of a custom effect. Does not change other effects.
    pub fn with_amount(mut self, value: u64, unit: impl Into<String>) -> Self {
        if let Self::Custom { amount, .. } = &mut self {
            *amount = Some(Amount::new(value, unit));
        }
        self
    }

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
            Self::Custom { .. } => "custom",
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
            | Self::Custom { .. }
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
