//! An entry in the tool registry.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use windlass_protocol::{Arguments, RawJson, ToolName, ToolSpec};
use windlass_schema::{Checker, SchemaError, Violation};
use windlass_tool::Tool;

use crate::route::Takes;
use crate::{Identity, ToolGroup};

/// A tool in the registry with its display name, group and compiled schema.
#[derive(Clone)]
pub(crate) struct Entry {
    /// The name in the registry.
    pub(crate) name: ToolName,
    /// Server name and tool name on that server, for a server's tool.
    pub(crate) remote: Option<(String, String)>,
    /// The display name for the model.
    pub(crate) shown: ToolName,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) group: ToolGroup,
    pub(crate) takes: Takes,
    pub(crate) schema: RawJson,
    /// `None` if the schema cannot be compiled; arguments are then not validated.
    pub(crate) checker: Option<Arc<Checker>>,
    is_dynamic: bool,
    is_deferred: bool,
    is_removed: Arc<AtomicBool>,
}

impl Entry {
    /// Creates an entry and compiles the tool's schema.
    pub(crate) fn new(
        identity: &Identity,
        shown: ToolName,
        tool: Arc<dyn Tool>,
    ) -> Result<Self, SchemaError> {
        let schema = schema_of(tool.spec());
        let checker = Some(Checker::compile(&schema)?);
        Ok(Self::with_checker(identity, shown, tool, checker))
    }

    pub(crate) fn with_checker(
        identity: &Identity,
        shown: ToolName,
        tool: Arc<dyn Tool>,
        checker: Option<Checker>,
    ) -> Self {
        Self {
            name: identity.name().clone(),
            remote: identity.remote().map(|(server, tool)| (server.to_owned(), tool.to_owned())),
            shown,
            group: ToolGroup::classify(identity, tool.hints()),
            takes: Takes::from_spec(identity, tool.spec()),
            schema: schema_of(tool.spec()),
            checker: checker.map(Arc::new),
            is_dynamic: identity.remote().is_some(),
            is_deferred: false,
            is_removed: Arc::default(),
            tool,
        }
    }

    /// Marks the tool as included in every preset, because the program added it on purpose.
    pub(crate) fn into_guest(mut self) -> Self {
        self.is_dynamic = true;
        self
    }

    /// Puts the tool into the group that every mode grants, and marks it as included in every preset.
    pub(crate) fn into_tool_of_every_mode(self) -> Self {
        Self { group: ToolGroup::Modes, is_dynamic: true, ..self }
    }

    /// Marks the tool as offered only after a search.
    pub(crate) fn into_deferred(mut self) -> Self {
        self.is_deferred = true;
        self
    }

    pub(crate) fn is_deferred(&self) -> bool {
        self.is_deferred
    }

    /// Returns the entry with another display name.
    pub(crate) fn with_display_name(self: Arc<Self>, shown: ToolName) -> Arc<Self> {
        if self.shown == shown {
            return self;
        }
        Arc::new(Self { shown, ..Self::clone(&self) })
    }

    pub(crate) fn is_dynamic(&self) -> bool {
        self.is_dynamic
    }

    pub(crate) fn remove(&self) {
        self.is_removed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::SeqCst)
    }

    /// Validates arguments against the schema.
    pub(crate) fn check(&self, arguments: &Arguments) -> Result<(), Vec<Violation>> {
        self.checker.as_ref().map_or(Ok(()), |checker| checker.check(arguments))
    }

    /// Returns the paths of all violations of a call's arguments.
    pub(crate) fn wrong_paths(&self, arguments: &Arguments) -> Vec<String> {
        self.checker.as_ref().map(|checker| checker.wrong_paths(arguments)).unwrap_or_default()
    }

    /// Validates one argument while the others are still missing.
    pub(crate) fn check_argument(&self, name: &str, value: &Value) -> Result<(), Vec<Violation>> {
        self.checker.as_ref().map_or(Ok(()), |checker| checker.check_argument(name, value))
    }

    /// Returns the spec under the display name.
    pub(crate) fn display_spec(&self) -> ToolSpec {
        self.tool.spec().clone().with_name(self.shown.clone())
    }
}

fn schema_of(spec: &ToolSpec) -> RawJson {
    match spec {
        ToolSpec::Function { parameters, .. } => parameters.clone(),
        // Free text has no JSON Schema; the empty schema accepts every value.
        _ => RawJson::from(&serde_json::json!({})),
    }
}
