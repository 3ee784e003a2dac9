//! The builder of a toolbox.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_protocol::{NameError, ToolName};
use windlass_schema::{Checker, SchemaError};
use windlass_tool::Tool;

use crate::catalogue::{self, ALIASES};
use crate::entry::Entry;
use crate::index::FixedTools;
use crate::shown_name::is_legal;
use crate::{
    DynamicTools, Identity, ModelRule, NameMap, NameMapError, OutputLimit, ToolConfig, Toolbox, WorkModes,
};

/// Builder that collects tools, aliases and configuration for a [`Toolbox`].
///
/// The configuration (default: the standard preset) decides which of the tools are offered; see
/// [`Availability`](crate::Availability). Tools are offered in the order in which they are added.
///
/// ```
/// use windlass_protocol::{Arguments, CallId, ToolCall, ToolName, ToolSpec};
/// use windlass_tool::Output;
/// use windlass_toolbox::{CallbackTool, Preset, ToolConfig, Toolbox};
///
/// let ping = ToolName::new("ping")?;
/// let spec = ToolSpec::function(ping.clone(), "Answers.", r#"{"type":"object"}"#.parse()?);
/// let tool = CallbackTool::new(spec, |_, _| async { Ok(Output::text("pong")) });
/// let config = ToolConfig::new(Preset::Full);
/// let toolbox = Toolbox::builder().tool(tool).config(config).build()?;
///
/// let call = ToolCall::function(CallId::new("call_1")?, ping, Arguments::default());
/// let checked = toolbox.check(&call).map_err(|result| result.wire_text())?;
/// assert_eq!(checked.name.as_str(), "ping");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

/// Error of [`ToolboxBuilder::build`]: a programming or configuration mistake, reported at startup.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools, or a tool and an alias, have the same name (RULES N7).
    #[error("two tools have the name {name}")]
    DuplicateName {
        /// The duplicate name.
        name: ToolName,
    },
    /// The target of an alias is not registered.
    #[error("the alias {alias} refers to {name}, which is not registered")]
    UnknownTarget {
        /// The alias.
        alias: String,
        /// The target of the alias.
        name: String,
    },
    /// The alias is not a valid tool name.
    #[error("the alias {alias:?} is not a valid tool name")]
    Alias {
        /// The invalid alias.
        alias: String,
        /// The rule that the alias violates.
        source: NameError,
    },
    /// The schema of one of the program's own tools cannot be compiled.
    #[error("the schema of {name} cannot be used")]
    Schema {
        /// The name of the tool.
        name: ToolName,
        /// The compilation error.
        source: SchemaError,
    },
    /// The display name of a tool is not legal with every provider.
    #[error("{name} cannot be shown as {shown:?}: use 1 to 64 letters, digits, _ and -")]
    Rename {
        /// The registered name of the tool.
        name: String,
        /// The display name.
        shown: String,
    },
    /// The configuration names a tool that is neither registered nor well known.
    #[error("the configuration names the tool {name}, which is not registered")]
    UnknownConfigured {
        /// The unknown name.
        name: String,
    },
}

impl ToolboxBuilder {
    /// Adds a tool under its own name, by value or as an [`Arc`]. Tools are offered in the order of registration.
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.shared_tool(Arc::new(tool))
    }

    fn shared_tool(self, tool: Arc<dyn Tool>) -> Self {
        let identity = Identity::own(tool.spec().name().clone());
        self.tool_as(identity, tool)
    }

    /// Adds a tool under another name than its own, for example the name of a server's tool.
    pub fn tool_as(mut self, identity: Identity, tool: Arc<dyn Tool>) -> Self {
        self.tools.push((identity, tool));
        self
    }

    /// Adds several tools.
    pub fn tools(self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        tools.into_iter().fold(self, Self::shared_tool)
    }

    /// Adds an alias: calls of `alias` are calls of the tool `name`.
    pub fn alias(mut self, alias: impl Into<String>, name: impl Into<String>) -> Self {
        self.aliases.push((alias.into(), name.into()));
        self
    }

    /// Adds the names that other coding agents use for the registered tools as aliases, unless another tool
    /// has the name: `write_to_file` for `write_file`, `execute_command` for `run_command` …
    pub fn with_known_aliases(mut self) -> Self {
        self.knows_aliases = true;
        self
    }

    /// Sets the model that the tools are for. The first matching rule of the configuration applies, otherwise
    /// a built-in rule.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Sets the available modes. Without modes, no tool is restricted by a mode.
    pub fn modes(mut self, modes: WorkModes) -> Self {
        self.modes = modes;
        self
    }

    /// Marks a tool as unavailable in this environment, with a short reason. The tool is not offered.
    pub fn unavailable(mut self, name: impl Into<String>, reason: impl Into<String>) -> Self {
        self.unavailable.insert(name.into(), reason.into());
        self
    }

    /// Adds the registry of tools that are added and removed during runs.
    pub fn dynamic(mut self, tools: DynamicTools) -> Self {
        self.dynamic = Some(tools);
        self
    }

    /// Sets the configuration. The default is the standard preset.
    pub fn config(mut self, config: ToolConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets the maximum length of an output text.
    pub fn output_limit(mut self, limit: OutputLimit) -> Self {
        self.limit = limit;
        self
    }

    /// Builds the toolbox.
    ///
    /// # Errors
    /// Returns an error if two tools have the same name, if an alias or the configuration names an unknown
    /// tool, if a display name is not legal, or if the schema of one of the program's own tools cannot be
    /// compiled. A server's tool with such a schema is offered, and validation of its arguments is left to
    /// the server: [`Toolbox::schema_errors`].
    pub fn build(self) -> Result<Toolbox, BuildError> {
        let mut names = NameMap::new(self.tools.iter().map(|(identity, _)| identity.clone()))?;
        self.check_named(&names)?;
        let rule = self.config.rule(self.model.as_deref());
        names = apply_renames(names, &rule, &self.tools, &self.config)?;
        let mut aliases = self.aliases;
        if self.knows_aliases {
            let has = |names: &NameMap, name: &str| names.position_exact(name).is_some();
            for (alias, name) in ALIASES {
                // A known alias never shadows a tool's registered name or display name.
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
            let shown = names.display_name(identity.name().as_str()).unwrap_or(identity.name()).clone();
            entries.push(Arc::new(entry(&identity, shown, tool, &mut unchecked)?));
        }
        if let Some(dynamic) = &self.dynamic {
            dynamic.reserve(names.exact_names()).map_err(|name| BuildError::DuplicateName { name })?;
        }
        let plan = FixedTools {
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

    /// Checks that the configuration names existing tools. The comparison is exact, so that a misspelt name
    /// cannot leave a tool enabled. A well-known tool that is not registered is allowed, because several
    /// programs may share one configuration.
    fn check_named(&self, names: &NameMap) -> Result<(), BuildError> {
        let guests = self.dynamic.as_ref().map(DynamicTools::list).unwrap_or_default();
        for name in self.config.iter_names() {
            let is_guest = guests.iter().any(|guest| guest.as_str() == name);
            if !names.has(name) && !is_guest && !catalogue::is_known(name) {
                return Err(BuildError::UnknownConfigured { name: name.clone() });
            }
        }
        Ok(())
    }
}

/// Creates a registry entry. A server's tool gets an entry without validation if its schema cannot be
/// compiled (RULES N5).
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

/// Applies display names from the model's rule and the configuration. A display name of the configuration
/// must be free; a built-in rule yields to a tool that already has the name.
fn apply_renames(
    mut names: NameMap,
    rule: &ModelRule,
    tools: &[(Identity, Arc<dyn Tool>)],
    config: &ToolConfig,
) -> Result<NameMap, BuildError> {
    for (name, shown) in &rule.rename {
        let is_about = |(identity, tool): &(Identity, Arc<dyn Tool>)| {
            identity.name().as_str() == name && rule.is_about(tool.as_ref())
        };
        if config.rename.contains_key(name) || !tools.iter().any(is_about) || !is_legal(shown) {
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

impl std::fmt::Debug for ToolboxBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolboxBuilder")
            .field("tools", &self.tools.len())
            .field("config", &self.config)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
