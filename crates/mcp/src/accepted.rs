//! The tools that a human has accepted, with the definition that was displayed.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use serde::{Deserialize, Serialize};

use crate::Definition;

/// A set of accepted tools that servers and the application share.
pub type AcceptedTools = Arc<RwLock<AcceptedDefinitions>>;

/// The tools that a human has accepted, by server and name, each with the displayed definition.
///
/// A tool with another definition, or of another program under the same server id, is not accepted. An entry
/// stays if a server omits its tool from a list for a while. The type does no I/O: the application stores the
/// text of [`to_text`](Self::to_text). If that text cannot be read, start with an empty set, and each tool is
/// asked about again.
///
/// ```
/// use windlass_mcp::AcceptedDefinitions;
/// let accepted = AcceptedDefinitions::default();
/// assert_eq!(AcceptedDefinitions::parse(&accepted.to_text()?)?, accepted);
/// assert!(AcceptedDefinitions::parse(r#"{"version":2,"servers":{}}"#).is_err());
/// # Ok::<(), windlass_mcp::AcceptedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedDefinitions {
    version: u32,
    servers: BTreeMap<String, BTreeMap<String, Entry>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    origin: String,
    fingerprint: String,
    /// The definition in lines, to display a difference when the definition changes.
    text: String,
}

/// Error of reading a set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptedError {
    /// The text is not a set of accepted tools.
    #[error("the accepted tools cannot be read")]
    Json(#[from] serde_json::Error),
    /// The set has another format version.
    #[error("the accepted tools have version {version}, this program reads {}", AcceptedDefinitions::VERSION)]
    Version {
        /// The set's format version.
        version: u32,
    },
}

impl Default for AcceptedDefinitions {
    fn default() -> Self {
        Self { version: Self::VERSION, servers: BTreeMap::new() }
    }
}

impl AcceptedDefinitions {
    /// The version of this format.
    pub const VERSION: u32 = 1;

    /// Parses a set.
    ///
    /// # Errors
    /// If the text is not a set of this version.
    pub fn parse(text: &str) -> Result<Self, AcceptedError> {
        let set: Self = serde_json::from_str(text)?;
        if set.version != Self::VERSION {
            return Err(AcceptedError::Version { version: set.version });
        }
        Ok(set)
    }

    /// Returns the set as JSON.
    ///
    /// # Errors
    /// If the set cannot be serialized.
    pub fn to_text(&self) -> Result<String, AcceptedError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// Records that a human has accepted this tool as displayed by `definition.shown()`. It replaces an
    /// earlier acceptance of the same server and name.
    pub fn accept(&mut self, definition: &Definition) {
        let entry = Entry {
            origin: definition.origin.clone(),
            fingerprint: definition.fingerprint.clone(),
            text: definition.text.clone(),
        };
        self.servers.entry(definition.server.clone()).or_default().insert(definition.name.clone(), entry);
    }

    /// Copies the acceptance of a tool from another set. Returns whether the other set has one.
    pub fn take_from(&mut self, other: &Self, server: &str, tool: &str) -> bool {
        let Some(entry) = other.servers.get(server).and_then(|tools| tools.get(tool)) else { return false };
        self.servers.entry(server.to_owned()).or_default().insert(tool.to_owned(), entry.clone());
        true
    }

    /// Returns whether a human accepted exactly this definition, of the same program or URL.
    pub fn is_known(&self, definition: &Definition) -> bool {
        self.entry(definition).is_some_and(|entry| {
            entry.fingerprint == definition.fingerprint && entry.origin == definition.origin
        })
    }

    /// Returns the definition, in lines, that was accepted for the same server and name.
    pub fn text_before(&self, definition: &Definition) -> Option<&str> {
        self.entry(definition).map(|entry| entry.text.as_str())
    }

    /// Returns whether the accepted tool of this server and name belongs to another program or URL.
    pub fn is_of_another_program(&self, definition: &Definition) -> bool {
        self.entry(definition).is_some_and(|entry| entry.origin != definition.origin)
    }

    /// Removes an acceptance, and returns whether there was one.
    pub fn revoke(&mut self, server: &str, tool: &str) -> bool {
        self.servers.get_mut(server).is_some_and(|tools| tools.remove(tool).is_some())
    }

    /// Returns an iterator over server, tool and fingerprint of each accepted tool.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.servers.iter().flat_map(|(server, tools)| {
            tools
                .iter()
                .map(move |(tool, entry)| (server.as_str(), tool.as_str(), entry.fingerprint.as_str()))
        })
    }

    fn entry(&self, definition: &Definition) -> Option<&Entry> {
        self.servers.get(&definition.server)?.get(&definition.name)
    }
}
