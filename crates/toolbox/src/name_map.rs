//! The names that a model sees, and the resolution of names that a model wrote (RULES N1 to N4, N7).

use std::collections::{BTreeMap, BTreeSet};

use windlass_protocol::ToolName;

use crate::Identity;
use crate::shown_name::{display_names, display_names_avoiding, is_legal};

/// The names of a run's tools: the registered name and the display name of each tool, and the resolution of a
/// name that a model wrote.
///
/// A map is built from the full set of tools including hidden tools, so that a call to a hidden tool still
/// resolves. Display names are legal with every provider, unique, and independent of the order of the set.
/// Names are looked up as a whole and never split.
///
/// ```
/// use windlass_protocol::ToolName;
/// use windlass_toolbox::{Identity, NameMap};
///
/// let own = Identity::own(ToolName::new("math.factorial")?);
/// let map = NameMap::new([own, Identity::mcp("files", "read")])?;
/// assert_eq!(map.display_name("math.factorial").map(ToolName::as_str), Some("math_factorial"));
/// assert_eq!(map.find("math_factorial").map(ToolName::as_str), Some("math.factorial"));
/// assert_eq!(map.find("files-read"), None);
/// assert_eq!(map.find("read").map(ToolName::as_str), Some("mcp__files__read"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NameMap {
    tools: Vec<NamedTool>,
    registered: BTreeMap<String, usize>,
    /// Display names, aliases, and registered names that cannot be display names.
    exact: BTreeMap<String, usize>,
    /// Names in tolerant form, without dashes, case and special characters; `None` if several tools share the
    /// form.
    tolerant: BTreeMap<String, Option<usize>>,
}

#[derive(Clone, Debug)]
struct NamedTool {
    name: ToolName,
    shown: ToolName,
}

/// Error of a name map: a programming mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameMapError {
    /// Two tools, or a tool and an alias, have the same name (RULES N7).
    #[error("two tools have the name {name}")]
    Duplicate {
        /// The duplicate name.
        name: ToolName,
    },
    /// The target of an alias is unknown or ambiguous.
    #[error("the alias {alias} refers to {name}, which is not registered")]
    UnknownTarget {
        /// The alias.
        alias: ToolName,
        /// The target of the alias.
        name: String,
    },
}

impl NameMap {
    /// Creates the map for all tools of a run.
    ///
    /// # Errors
    /// Returns an error if two tools are registered under the same name.
    pub fn new(tools: impl IntoIterator<Item = Identity>) -> Result<Self, NameMapError> {
        let tools: Vec<Identity> = tools.into_iter().collect();
        let mut map = Self::default();
        for (position, tool) in tools.iter().enumerate() {
            if map.registered.insert(tool.name().as_str().to_owned(), position).is_some() {
                return Err(NameMapError::Duplicate { name: tool.name().clone() });
            }
        }
        let names: Vec<&ToolName> = tools.iter().map(Identity::name).collect();
        for (position, (tool, shown)) in tools.iter().zip(display_names(&names)).enumerate() {
            map.exact.insert(shown.as_str().to_owned(), position);
            // A name that cannot be a display name is unambiguous, so it resolves exactly. A legal name that
            // got a hash is ambiguous.
            if !is_legal(tool.name().as_str()) {
                map.exact.insert(tool.name().as_str().to_owned(), position);
            }
            map.tolerate(shown.as_str(), position);
            for name in tool.list_names() {
                map.tolerate(&name, position);
            }
            map.tools.push(NamedTool { name: tool.name().clone(), shown });
        }
        Ok(map)
    }

    /// Adds an alias of a tool. The model does not see the alias, but a call under the alias resolves to the
    /// tool.
    ///
    /// # Errors
    /// Returns an error if the name is taken or the target is unknown.
    pub fn with_alias(mut self, alias: ToolName, name: &str) -> Result<Self, NameMapError> {
        let Some(position) = self.registered.get(name).copied().or_else(|| self.position(name)) else {
            return Err(NameMapError::UnknownTarget { alias, name: name.to_owned() });
        };
        let taken = self.exact.contains_key(alias.as_str()) || self.registered.contains_key(alias.as_str());
        if taken {
            return Err(NameMapError::Duplicate { name: alias });
        }
        self.tolerate(alias.as_str(), position);
        self.exact.insert(alias.into(), position);
        Ok(self)
    }

    /// Sets the display name of a tool. The registered name still resolves to the tool.
    ///
    /// # Errors
    /// Returns an error if another tool has the name or the tool is unknown.
    pub fn with_shown(mut self, name: &str, shown: ToolName) -> Result<Self, NameMapError> {
        let Some(position) = self.find_registered(name) else {
            return Err(NameMapError::UnknownTarget { alias: shown, name: name.to_owned() });
        };
        let others = [self.exact.get(shown.as_str()), self.registered.get(shown.as_str())];
        if others.into_iter().flatten().any(|other| *other != position) {
            return Err(NameMapError::Duplicate { name: shown });
        }
        self.exact.insert(name.to_owned(), position);
        self.exact.insert(shown.as_str().to_owned(), position);
        self.tolerate(shown.as_str(), position);
        if let Some(tool) = self.tools.get_mut(position) {
            tool.shown = shown;
        }
        Ok(self)
    }

    /// Appends a tool whose name is legal with every provider, so that no other display name changes.
    pub(crate) fn push(&mut self, name: &ToolName) -> Result<(), NameMapError> {
        let taken = self.exact.contains_key(name.as_str()) || self.registered.contains_key(name.as_str());
        if taken {
            return Err(NameMapError::Duplicate { name: name.clone() });
        }
        let position = self.tools.len();
        self.registered.insert(name.as_str().to_owned(), position);
        self.exact.insert(name.as_str().to_owned(), position);
        self.tolerate(name.as_str(), position);
        self.tools.push(NamedTool { name: name.clone(), shown: name.clone() });
        Ok(())
    }

    /// Appends tools of servers without changing other display names. Returns the display name of each tool,
    /// or `None` for a tool whose name is already registered.
    pub(crate) fn push_remote(&mut self, tools: &[&Identity]) -> Vec<Option<ToolName>> {
        let mut new = BTreeSet::new();
        let is_new: Vec<bool> = tools
            .iter()
            .map(|tool| !self.has(tool.name().as_str()) && new.insert(tool.name().clone()))
            .collect();
        let added = || tools.iter().zip(&is_new).filter(|(_, is_new)| **is_new).map(|(tool, _)| *tool);
        let names: Vec<&ToolName> = added().map(Identity::name).collect();
        let is_taken = |name: &str| self.exact.contains_key(name) || self.registered.contains_key(name);
        let mut shown = display_names_avoiding(&names, &is_taken).into_iter();
        for (tool, shown) in added().zip(shown.clone()) {
            let position = self.tools.len();
            self.registered.insert(tool.name().as_str().to_owned(), position);
            self.exact.insert(shown.as_str().to_owned(), position);
            if !is_legal(tool.name().as_str()) {
                self.exact.insert(tool.name().as_str().to_owned(), position);
            }
            self.tolerate(shown.as_str(), position);
            for name in tool.list_names() {
                self.tolerate(&name, position);
            }
            self.tools.push(NamedTool { name: tool.name().clone(), shown });
        }
        is_new.into_iter().map(|is_new| if is_new { shown.next() } else { None }).collect()
    }

    /// Iterates over all names that resolve exactly.
    pub(crate) fn exact_names(&self) -> impl Iterator<Item = &str> {
        self.exact.keys().chain(self.registered.keys()).map(String::as_str)
    }

    /// Returns the display name of the tool with this registered name.
    pub fn display_name(&self, name: &str) -> Option<&ToolName> {
        let position = self.registered.get(name)?;
        self.tools.get(*position).map(|tool| &tool.shown)
    }

    /// Returns the registered name of the tool that a model means: the tool with exactly this display name or
    /// alias, otherwise the only tool whose name differs in case, dashes, special characters, a leading
    /// `functions.`, or a missing server prefix.
    pub fn find(&self, written: &str) -> Option<&ToolName> {
        self.tools.get(self.position(written)?).map(|tool| &tool.name)
    }

    /// Iterates over registered names and display names in the order of registration.
    pub fn iter(&self) -> impl Iterator<Item = (&ToolName, &ToolName)> {
        self.tools.iter().map(|tool| (&tool.name, &tool.shown))
    }

    /// Returns whether a tool is registered under exactly this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.registered.contains_key(name)
    }

    /// Returns the index of the tool that is registered under exactly this name.
    pub(crate) fn find_registered(&self, name: &str) -> Option<usize> {
        self.registered.get(name).copied()
    }

    /// Returns the index of the tool that a name or an alias resolves to exactly.
    pub(crate) fn position_exact(&self, name: &str) -> Option<usize> {
        self.exact.get(name).or_else(|| self.registered.get(name)).copied()
    }

    /// Returns whether a name from a model matches a name or an alias exactly.
    pub(crate) fn is_exact(&self, written: &str) -> bool {
        let plain = written.strip_prefix("functions.").unwrap_or(written);
        self.exact.contains_key(written) || self.exact.contains_key(plain)
    }

    /// Returns the index of the tool that a model means.
    pub(crate) fn position(&self, written: &str) -> Option<usize> {
        if let Some(position) = self.exact.get(written) {
            return Some(*position);
        }
        let plain = written.strip_prefix("functions.").unwrap_or(written);
        if let Some(position) = self.exact.get(plain) {
            return Some(*position);
        }
        self.tolerant.get(&tolerant(plain)).copied().flatten()
    }

    /// Returns the names that resolve exactly to the tool at an index, and the tolerant forms that resolve to
    /// it alone.
    pub(crate) fn names_of(&self, position: usize) -> (Vec<String>, Vec<String>) {
        let exact = self.exact.iter().filter(|(_, at)| **at == position).map(|(name, _)| name.clone());
        let loose =
            self.tolerant.iter().filter(|(_, at)| **at == Some(position)).map(|(form, _)| form.clone());
        (exact.collect(), loose.collect())
    }

    fn tolerate(&mut self, name: &str, position: usize) {
        self.tolerant
            .entry(tolerant(name))
            .and_modify(|known| *known = known.filter(|known| *known == position))
            .or_insert(Some(position));
    }
}

/// Returns the tolerant form of a name: without dashes, case and special characters.
pub(crate) fn tolerant(name: &str) -> String {
    ToolName::loose_form(name)
}
