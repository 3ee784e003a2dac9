//! What a human has accepted: tools of servers, each exactly as it was shown.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use serde::{Deserialize, Serialize};

use crate::Definition;

/// A set of accepted tools that servers and the application share.
pub type AcceptedTools = Arc<RwLock<Accepted>>;

/// The tools that a human has accepted, by server and name, each with the definition that she was shown.
///
/// A tool of another definition, or of another program under the server's id, is not known; what a server leaves out of
/// a list for a while is not forgotten. Values only: whoever keeps it on a disk is somebody else, and a text that cannot
/// be read means that everything is asked anew.
///
/// ```
/// use windlass_mcp::Accepted;
/// let accepted = Accepted::default();
/// assert_eq!(Accepted::parse(&accepted.to_text()?)?, accepted);
/// assert!(Accepted::parse(r#"{"version":2,"servers":{}}"#).is_err());
/// # Ok::<(), windlass_mcp::AcceptedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    version: u32,
    servers: BTreeMap<String, BTreeMap<String, Entry>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    origin: String,
    fingerprint: String,
    /// The definition in lines, for the difference when it changes.
    text: String,
}

/// Why a set cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptedError {
    /// It is no such set.
    #[error("the accepted tools cannot be read")]
    Json(#[from] serde_json::Error),
    /// It is of another version of this program.
    #[error("the accepted tools have version {version}, this program reads {}", Accepted::VERSION)]
    Version {
        /// The set's version.
        version: u32,
    },
}

impl Default for Accepted {
    fn default() -> Self {
        Self { version: Self::VERSION, servers: BTreeMap::new() }
    }
}

impl Accepted {
    /// The version of this vocabulary.
    pub const VERSION: u32 = 1;

    /// Reads a set.
    ///
    /// # Errors
    /// If the text is no set of this version.
    pub fn parse(text: &str) -> Result<Self, AcceptedError> {
        let set: Self = serde_json::from_str(text)?;
        if set.version != Self::VERSION {
            return Err(AcceptedError::Version { version: set.version });
        }
        Ok(set)
    }

    /// The set as text.
    ///
    /// # Errors
    /// If it does not become JSON.
    pub fn to_text(&self) -> Result<String, AcceptedError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// A human has accepted this tool as it is shown in `definition.shown()`. What was accepted of the name before counts
    /// no more.
    pub fn accept(&mut self, definition: &Definition) {
        let entry = Entry {
            origin: definition.origin.clone(),
            fingerprint: definition.fingerprint.clone(),
            text: definition.text.clone(),
        };
        self.servers.entry(definition.server.clone()).or_default().insert(definition.name.clone(), entry);
    }

    /// Accepts a tool as another set has it. Returns whether that set has it.
    pub fn take_from(&mut self, other: &Self, server: &str, tool: &str) -> bool {
        let Some(entry) = other.servers.get(server).and_then(|tools| tools.get(tool)) else { return false };
        self.servers.entry(server.to_owned()).or_default().insert(tool.to_owned(), entry.clone());
        true
    }

    /// Whether exactly this tool was accepted.
    pub fn is_known(&self, definition: &Definition) -> bool {
        self.entry(definition).is_some_and(|entry| {
            entry.fingerprint == definition.fingerprint && entry.origin == definition.origin
        })
    }

    /// The definition in lines of the tool of this server and name that was accepted.
    pub fn text_before(&self, definition: &Definition) -> Option<&str> {
        self.entry(definition).map(|entry| entry.text.as_str())
    }

    /// Whether what was accepted under the server's id was another program.
    pub fn is_of_another_program(&self, definition: &Definition) -> bool {
        self.entry(definition).is_some_and(|entry| entry.origin != definition.origin)
    }

    /// Takes an acceptance back, and says whether there was one.
    pub fn revoke(&mut self, server: &str, tool: &str) -> bool {
        self.servers.get_mut(server).is_some_and(|tools| tools.remove(tool).is_some())
    }

    /// Server, tool and fingerprint of everything that was accepted.
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
