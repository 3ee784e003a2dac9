//! A tool whose behaviour a test sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;
use windlass_protocol::{
    Arguments, CallId, Concurrency, Effect, Hints, Payload, Risk, ToolCall, ToolName, ToolSpec,
};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};

/// The behaviour of the tool when it is called.
#[derive(Clone)]
pub(crate) enum Does {
    Says(String),
    /// Returns the text of a stranger.
    Fetches(String),
    Panics,
    /// Panics before it returns a future.
    PanicsAtOnce,
    /// Panics when its effects are requested.
    PanicsWhenAsked,
    Fails,
    /// Counts itself as inside, and waits for a permit.
    Waits(Arc<Inside>),
}

#[derive(Default)]
pub(crate) struct Inside {
    pub(crate) now: AtomicUsize,
    pub(crate) most: AtomicUsize,
    pub(crate) order: std::sync::Mutex<Vec<String>>,
    pub(crate) gate: Option<Semaphore>,
}

pub(crate) struct Fake {
    spec: ToolSpec,
    concurrency: Concurrency,
    does: Does,
}

pub(crate) fn fake(name: &str, concurrency: Concurrency, does: Does) -> Arc<dyn Tool> {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}"#;
    let spec = ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema.parse().unwrap());
    Arc::new(Fake { spec, concurrency, does })
}

pub(crate) fn with_schema(name: &str, schema: &str) -> Arc<dyn Tool> {
    let spec = ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema.parse().unwrap());
    Arc::new(Fake { spec, concurrency: Concurrency::Parallel, does: Does::Says("x".into()) })
}

pub(crate) fn call(name: &str, arguments: &str) -> ToolCall {
    let id = CallId::new(format!("call-{name}")).unwrap();
    ToolCall::function(id, ToolName::new(name).unwrap(), Arguments::parse(arguments).unwrap())
}

impl Tool for Fake {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        let risk = if matches!(self.does, Does::Fetches(_)) { Risk::High } else { Risk::Medium };
        Hints { concurrency: self.concurrency, risk, ..Hints::default() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        assert!(!matches!(self.does, Does::PanicsWhenAsked), "the tool's own bug");
        match self.does {
            Does::Fetches(_) => vec![Effect::Connect { host: "example.org".into(), port: 443 }],
            _ => vec![Effect::Internal],
        }
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        assert!(!matches!(self.does, Does::PanicsAtOnce), "the tool's own bug");
        Box::pin(async move {
            match &self.does {
                Does::Says(text) | Does::Fetches(text) => Ok(Output::text(text.clone())),
                Does::Panics | Does::PanicsAtOnce | Does::PanicsWhenAsked => {
                    unreachable!("the tool's own bug")
                }
                Does::Fails => Err(ToolError::fatal("the disk is gone")),
                Does::Waits(inside) => {
                    let now = inside.now.fetch_add(1, Ordering::SeqCst) + 1;
                    inside.most.fetch_max(now, Ordering::SeqCst);
                    inside.order.lock().unwrap().push(self.spec.name().to_string());
                    if let Some(gate) = &inside.gate {
                        gate.acquire().await.unwrap().forget();
                    } else {
                        tokio::task::yield_now().await;
                    }
                    inside.now.fetch_sub(1, Ordering::SeqCst);
                    Ok(Output::text("went through"))
                }
            }
        })
    }
}

/// A tool that counts as built-in, so the built-in rules about models apply to it.
pub(crate) struct BuiltIn(pub(crate) Arc<dyn Tool>);

impl Tool for BuiltIn {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn hints(&self) -> Hints {
        self.0.hints()
    }

    fn has_built_in_rules(&self) -> bool {
        true
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        self.0.effects(payload)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        self.0.call(ctx, payload)
    }
}
