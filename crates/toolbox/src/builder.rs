//! Putting a toolbox together.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_protocol::{NameError, ToolName};
use windlass_schema::{Checker, SchemaError};
use windlass_tool::Tool;

use crate::catalogue::{self, ALIASES};
use crate::entry::Entry;
use crate::shown_name::is_legal;
use crate::toolbox::Plan;
use crate::{
    DynamicTools, Identity, ModelRule, NameMap, NameMapError, OutputLimit, ToolConfig, Toolbox, WorkModes,
};

/// Collects tools and aliases for a [`Toolbox`].
#[derive(Default)]
pub struct ToolboxBuilder {
    tools: Vec<(Identity, Arc<dyn Tool>)>,
    aliases: Vec<(String, String)>,
    knows_aliases: bool,
    config: ToolConfig,
    model: Option<String>,
    modes: WorkModes,
    unavailable: BTreeMap<String, String>,
    dynamic: Option<DynamicTools>,
    limit: OutputLimit,
}

/// Why a toolbox cannot be built: a mistake of the program, told at its start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools, or a tool and an alias, have one name (RULES N7).
    #[error("two tools have the name {name}")]
    DuplicateName {
        /// The name.
        name: ToolName,
    },
    /// An alias leads nowhere.
    #[error("the alias {alias} stands for {name}, and no such tool is registered")]
    UnknownTarget {
        /// The alias.
        alias: String,
        /// What it stands for.
        name: String,
    },
    /// An alias is no name.
    #[error("the alias {alias:?} is no tool name")]
    Alias {
        /// The alias.
        alias: String,
        /// Why.
        source: NameError,
    },
    /// The schema of a tool of this program cannot be used.
    #[error("the schema of {name} cannot be used")]
    Schema {
        /// The tool.
        name: ToolName,
        /// Why.
        source: SchemaError,
    },
    /// The name that a model is to be shown for a tool is not legal everywhere.
    #[error("{name} cannot be shown as {shown:?}: one to 64 letters, digits, _ and - are wanted")]
    Rename {
        /// The tool.
        name: String,
        /// What it was to be shown as.
        shown: String,
    },
    /// The configuration names a tool that is not registered.
    #[error("the configuration names {name}, and no such tool is registered")]
    UnknownConfigured {
        /// The name.
        name: String,
    },
}

impl ToolboxBuilder {
    /// Adds a tool. Tools are offered in the order in which they are added.
    pub fn tool(self, tool: Arc<dyn Tool>) -> Self {
        let identity = Identity::own(tool.spec().name().clone());
        self.tool_as(identity, tool)
    }

    /// Adds a tool under another name than its own, as that of a server's tool.
    pub fn tool_as(mut self, identity: Identity, tool: Arc<dyn Tool>) -> Self {
        self.tools.push((identity, tool));
        self
    }

    /// Adds tools.
    pub fn tools(self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        tools.into_iter().fold(self, Self::tool)
    }

    /// Lets a tool answer to another name too.
    pub fn alias(mut self, alias: impl Into<String>, name: impl Into<String>) -> Self {
        self.aliases.push((alias.into(), name.into()));
        self
    }

    /// Lets the tools that are registered answer to the names that other agents gave theirs, where those are
    /// free: `write_to_file` for `write_file`, `execute_command` for `run_command` …
    pub fn known_aliases(mut self) -> Self {
        self.knows_aliases = true;
        self
    }

    /// Says for which model the tools are: the configuration's rule for it counts, or one that is built in.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Says which modes there are. Without it none, and every tool is there for every work.
    pub fn modes(mut self, modes: WorkModes) -> Self {
        self.modes = modes;
        self
    }

    /// Says that a tool cannot work here, and why, in a few words: it is not offered.
    pub fn unavailable(mut self, name: impl Into<String>, reason: impl Into<String>) -> Self {
        self.unavailable.insert(name.into(), reason.into());
        self
    }

    /// Adds tools that come and go while runs go on.
    pub fn dynamic(mut self, tools: DynamicTools) -> Self {
        self.dynamic = Some(tools);
        self
    }

    /// Says which tools are offered. Without it: the standard preset.
    pub fn config(mut self, config: ToolConfig) -> Self {
        self.config = config;
        self
    }

    /// Says how long an output may be.
    pub fn output_limit(mut self, limit: OutputLimit) -> Self {
        self.limit = limit;
        self
    }

    /// The toolbox.
    ///
    /// # Errors
    /// If two tools have one name, an alias or the configuration names no tool, or the schema of a tool of this
    /// program cannot be used. A server's tool with such a schema is offered, and its arguments are the server's to
    /// check: [`Toolbox::unchecked`].
    pub fn build(self) -> Result<Toolbox, BuildError> {
        let mut names = NameMap::new(self.tools.iter().map(|(identity, _)| identity.clone()))?;
        self.check_named(&names)?;
        let rule = self.config.rule(self.model.as_deref());
        names = renamed(names, &rule, &self.config)?;
        let mut aliases = self.aliases;
        if self.knows_aliases {
            let has = |names: &NameMap, name: &str| names.position_exact(name).is_some();
            for (alias, name) in ALIASES {
                // What a tool is called or shown as is that tool's own.
                if names.has(name) && !has(&names, alias) && aliases.iter().all(|(other, _)| other != alias) {
                    aliases.push(((*alias).to_owned(), (*name).to_owned()));
                }
            }
        }
        for (alias, name) in aliases {
            let alias = ToolName::new(alias.clone()).map_err(|source| BuildError::Alias { alias, source })?;
            names = names.with_alias(alias, &name)?;
        }
        let mut entries = Vec::with_capacity(self.tools.len());
        let mut unchecked = Vec::new();
        for (identity, tool) in self.tools {
            let shown = names.shown(identity.name().as_str()).unwrap_or(identity.name()).clone();
            entries.push(Arc::new(entry(&identity, shown, tool, &mut unchecked)?));
        }
        if let Some(dynamic) = &self.dynamic {
            dynamic.reserve(names.exact_names()).map_err(|name| BuildError::DuplicateName { name })?;
        }
        let plan = Plan {
            config: self.config,
            rule,
            modes: self.modes,
            unavailable: self.unavailable,
            unchecked,
            dynamic: self.dynamic,
            names,
            entries,
        };
        Ok(Toolbox::new(plan, self.limit))
    }

    /// A misspelt name must not leave a tool on, so names are compared exactly. A tool that is well known and not
    /// registered here is no mistake: one configuration is for several programs.
    fn check_named(&self, names: &NameMap) -> Result<(), BuildError> {
        let guests = self.dynamic.as_ref().map(DynamicTools::list).unwrap_or_default();
        for name in self.config.named() {
            let is_guest = guests.iter().any(|guest| guest.as_str() == name);
            if !names.has(name) && !is_guest && !catalogue::is_known(name) {
                return Err(BuildError::UnknownConfigured { name: name.clone() });
            }
        }
        Ok(())
    }
}

/// A tool as it is kept; one of a server also where its schema cannot be used (RULES N5).
fn entry(
    identity: &Identity,
    shown: ToolName,
    tool: Arc<dyn Tool>,
    unchecked: &mut Vec<(ToolName, SchemaError)>,
) -> Result<Entry, BuildError> {
    match Entry::new(identity, shown.clone(), Arc::clone(&tool)) {
        Ok(entry) => Ok(entry),
        Err(source) if identity.remote().is_some() => {
            unchecked.push((identity.name().clone(), source));
            Ok(Entry::with_checker(identity, shown, tool, None::<Checker>))
        }
        Err(source) => Err(BuildError::Schema { name: identity.name().clone(), source }),
    }
}

/// The names as the model's rule and the user want them shown. What the user says must be possible; a rule of ours gives
/// way to a tool that has the name.
fn renamed(mut names: NameMap, rule: &ModelRule, config: &ToolConfig) -> Result<NameMap, BuildError> {
    for (name, shown) in &rule.rename {
        if config.rename.contains_key(name) || !names.has(name) || !is_legal(shown) {
            continue;
        }
        let shown = ToolName::new(shown.as_str()).expect("a legal name is a name");
        names = names.clone().with_shown(name, shown).unwrap_or(names);
    }
    for (name, shown) in &config.rename {
        if !is_legal(shown) {
            return Err(BuildError::Rename { name: name.clone(), shown: shown.clone() });
        }
        if names.has(name) {
            let shown = ToolName::new(shown.as_str()).expect("a legal name is a name");
            names = names.with_shown(name, shown)?;
        }
    }
    Ok(names)
}

impl From<NameMapError> for BuildError {
    fn from(error: NameMapError) -> Self {
        match error {
            NameMapError::Duplicate { name } => Self::DuplicateName { name },
            NameMapError::UnknownTarget { alias, name } => {
                Self::UnknownTarget { alias: alias.to_string(), name }
            }
        }
    }
}
