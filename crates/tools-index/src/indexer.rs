//! Common parts of this crate's tools: they read below one path, on blocking threads.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
use windlass_sandbox::{Look, Workspace};
use windlass_tool::{Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::place::Place;

/// Arguments of one of the tools, which can compute its answer.
pub(crate) trait Question: DeserializeOwned + Send + 'static {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const SCHEMA: &'static str;

    /// Reads files and returns the answer as text for the model.
    fn answer(&self, place: &Place<'_>) -> Result<String, ToolError>;
}

/// A tool for one type of arguments.
pub(crate) struct Indexer<Q> {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
    question: PhantomData<fn() -> Q>,
}

impl<Q: Question> Indexer<Q> {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let spec = spec(Q::NAME, Q::DESCRIPTION, Q::SCHEMA);
        Self { workspace: Arc::clone(workspace), spec, question: PhantomData }
    }
}

/// Returns the spec of one of this crate's tools, whose names and schemas are constants that tests check.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the tool's name is a plain word");
    ToolSpec::function(name, description, schema.parse().expect("the tool's schema is JSON"))
}

/// Returns the `path` argument. Policy checks it even if other arguments are invalid.
pub(crate) fn path_of(payload: &Payload) -> &str {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
            arguments.get("path").and_then(|path| path.as_str()).unwrap_or(".")
        }
        _ => ".",
    }
}

impl<Q> fmt::Debug for Indexer<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexer").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl<Q: Question> Tool for Indexer<Q> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        vec![Effect::Read { path: self.workspace.effect_path(path_of(payload)) }]
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Read { path: self.workspace.effect_path(path) };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        Inspection::default().with_target(self.workspace.target(path_of(payload), Look::Place))
    }

    /// Dropping the future stops the work after the current file, because the token is checked before each.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let question: Q = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            let stop = ctx.cancellation().child_token();
            let _stops_when_dropped = stop.clone().drop_guard();
            let (redactor, gate) = (ctx.redactor().clone(), ctx.path_gate().clone());
            let work = move || {
                let stopped = || stop.is_cancelled();
                question.answer(&Place { workspace: &workspace, redactor, gate, stopped: &stopped })
            };
            // A panic fails this call and not the turn (RULES L8).
            let broken = |_| {
                ToolError::model("the tool failed with an internal error on this input")
                    .with_advice("Try another path.")
            };
            tokio::task::spawn_blocking(work).await.map_err(broken)?.map(Output::text)
        })
    }
}
