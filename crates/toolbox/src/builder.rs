//! Putting a toolbox together.

use std::sync::Arc;

use windlass_protocol::{NameError, RawJson, ToolName, ToolSpec};
use windlass_schema::{Checker, SchemaError};
use windlass_tool::Tool;

use crate::preset::ALIASES;
use crate::toolbox::Entry;
use crate::{Identity, NameMap, NameMapError, OutputLimit, ToolConfig, Toolbox};

/// Collects tools and aliases for a [`Toolbox`].
#[derive(Default)]
pub struct ToolboxBuilder {
    tools: Vec<(Identity, Arc<dyn Tool>)>,
    aliases: Vec<(String, String)>,
    config: ToolConfig,
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
        let names: Vec<_> =
            self.tools.iter().map(|(identity, _)| identity.name().as_str().to_owned()).collect();
        for (alias, name) in ALIASES {
            if names.iter().any(|known| known == name) && names.iter().all(|known| known != alias) {
                self.aliases.push(((*alias).to_owned(), (*name).to_owned()));
            }
        }
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
        let mut entries = Vec::with_capacity(self.tools.len());
        let mut unchecked = Vec::new();
        for (identity, tool) in self.tools {
            let name = identity.name().clone();
            let schema = schema_of(tool.spec());
            let checker = match Checker::compile(&schema) {
                Ok(checker) => Some(checker),
                // One bad tool of a server never takes the others with it (RULES N5).
                Err(source) if identity.is_remote() => {
                    unchecked.push((name.clone(), source));
                    None
                }
                Err(source) => return Err(BuildError::Schema { name, source }),
            };
            let offered = self.config.includes(name.as_str());
            let shown = names.shown(name.as_str()).unwrap_or(&name).clone();
            entries.push(Entry { name, shown, tool, schema, checker, offered });
        }
        for configured in self.config.additional.iter().chain(&self.config.disabled) {
            // Exactly, because offering compares exactly: a misspelt name must not leave a tool on.
            if !names.has(configured) {
                return Err(BuildError::UnknownConfigured { name: configured.clone() });
            }
        }
        for (alias, name) in self.aliases {
            let alias = ToolName::new(alias.clone()).map_err(|source| BuildError::Alias { alias, source })?;
            names = names.with_alias(alias, &name)?;
        }
        Ok(Toolbox::new(names, entries, unchecked, self.limit))
    }
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

fn schema_of(spec: &ToolSpec) -> RawJson {
    match spec {
        ToolSpec::Function { parameters, .. } => parameters.clone(),
        // Free text has no schema; an empty one lets everything through.
        _ => RawJson::from(&serde_json::json!({})),
    }
}
