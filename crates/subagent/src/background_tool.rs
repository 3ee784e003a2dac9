//! The common part of the tools for background agents.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::registry::AgentRegistry;
use crate::spec::spec;

/// An action on background agents.
pub(crate) trait Action: Send + Sync {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const SCHEMA: &'static str;

    type Arguments: DeserializeOwned + Send;

    fn hints() -> Hints;

    /// Runs a call of the tool.
    fn run(
        registry: &Arc<AgentRegistry>,
        ctx: &Context,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Output, ToolError>> + Send;
}

/// The tool of an action.
pub(crate) struct BackgroundTool<A> {
    spec: ToolSpec,
    registry: Arc<AgentRegistry>,
    action: PhantomData<A>,
}

impl<A: Action> BackgroundTool<A> {
    pub(crate) fn new(registry: Arc<AgentRegistry>) -> Self {
        Self { spec: spec(A::NAME, A::DESCRIPTION, A::SCHEMA), registry, action: PhantomData }
    }
}

impl<A: Action> Tool for BackgroundTool<A> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        A::hints()
    }

    /// The policy decides about the agent's actions when the agent calls its own tools.
    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move { A::run(&self.registry, ctx, read_arguments(payload)?).await })
    }
}
