//! A tool as the toolbox keeps it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use windlass_protocol::{Arguments, RawJson, ToolName, ToolSpec};
use windlass_schema::{Checker, SchemaError, Violation};
use windlass_tool::Tool;

use crate::route::Takes;
use crate::{Identity, ToolGroup};

/// A tool as the toolbox keeps it.
#[derive(Clone)]
pub(crate) struct Entry {
    /// The name in the registry.
    pub(crate) name: ToolName,
    /// The server that it comes from and its name there.
    pub(crate) remote: Option<(String, String)>,
    /// The name that the model knows.
    pub(crate) shown: ToolName,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) group: ToolGroup,
    pub(crate) takes: Takes,
    pub(crate) schema: RawJson,
    /// None where the schema cannot be used.
    pub(crate) checker: Option<Arc<Checker>>,
    is_guest: bool,
    is_deferred: bool,
    is_removed: Arc<AtomicBool>,
}

impl Entry {
    /// A tool with its schema compiled. For a server's tool a schema that cannot be used is no obstacle.
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
            group: ToolGroup::of(identity, tool.hints()),
            takes: Takes::of(identity, tool.spec()),
            schema: schema_of(tool.spec()),
            checker: checker.map(Arc::new),
            is_guest: identity.remote().is_some(),
            is_deferred: false,
            is_removed: Arc::default(),
            tool,
        }
    }

    /// The same tool, wanted whatever the preset is: somebody brought it here for that.
    pub(crate) fn into_guest(mut self) -> Self {
        self.is_guest = true;
        self
    }

    /// The same tool, which is not offered before it is looked for.
    pub(crate) fn into_deferred(mut self) -> Self {
        self.is_deferred = true;
        self
    }

    pub(crate) fn is_deferred(&self) -> bool {
        self.is_deferred
    }

    /// The same tool under the name that a model knows it by now.
    pub(crate) fn shown_as(self: Arc<Self>, shown: ToolName) -> Arc<Self> {
        if self.shown == shown {
            return self;
        }
        Arc::new(Self { shown, ..Self::clone(&self) })
    }

    pub(crate) fn is_guest(&self) -> bool {
        self.is_guest
    }

    pub(crate) fn remove(&self) {
        self.is_removed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::SeqCst)
    }

    /// What is wrong with arguments.
    pub(crate) fn check(&self, arguments: &Arguments) -> Result<(), Vec<Violation>> {
        self.checker.as_ref().map_or(Ok(()), |checker| checker.check(arguments))
    }

    /// The paths of all violations of a call's arguments.
    pub(crate) fn wrong_paths(&self, arguments: &Arguments) -> Vec<String> {
        self.checker.as_ref().map(|checker| checker.wrong_paths(arguments)).unwrap_or_default()
    }

    /// What is wrong with one argument, before the others have come.
    pub(crate) fn check_argument(&self, name: &str, value: &Value) -> Result<(), Vec<Violation>> {
        self.checker.as_ref().map_or(Ok(()), |checker| checker.check_argument(name, value))
    }

    /// The tool as the model is told of it.
    pub(crate) fn offered_spec(&self) -> ToolSpec {
        self.tool.spec().clone().renamed(self.shown.clone())
    }
}

fn schema_of(spec: &ToolSpec) -> RawJson {
    match spec {
        ToolSpec::Function { parameters, .. } => parameters.clone(),
        // Free text has no schema; an empty one lets everything through.
        _ => RawJson::from(&serde_json::json!({})),
    }
}
