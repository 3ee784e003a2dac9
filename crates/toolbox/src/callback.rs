//! A tool that is created at run time from a spec and an async callback.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use windlass_protocol::{Effect, Hints, Payload, Risk, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};

type Call = dyn Fn(Context, Payload) -> ToolFuture<'static> + Send + Sync;
type Effects = dyn Fn(&Payload) -> Vec<Effect> + Send + Sync;

/// A tool that is created at run time from a spec and an async callback.
///
/// The defaults are high risk, exclusive execution and unknown effects, so that policy asks before each call.
/// Declare [`Hints`] and effects to relax this.
///
/// ```
/// use windlass_protocol::{Effect, Hints, ToolName, ToolSpec};
/// use windlass_tool::Output;
/// use windlass_tool_args::read_arguments;
/// use windlass_toolbox::CallbackTool;
///
/// let schema = r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#;
/// let spec = ToolSpec::function(ToolName::new("weather")?, "Tells the weather of a city.", schema.parse()?);
/// let tool = CallbackTool::new(spec, |_ctx, payload| async move {
///     let arguments: serde_json::Value = read_arguments(&payload)?;
///     Ok(Output::text(format!("it rains in {}", arguments["city"])))
/// });
/// let tool = tool
///     .with_hints(Hints { open_world: true, ..Hints::read_only() })
///     .with_effects(|_| vec![Effect::Connect { host: "weather.example".into(), port: 443 }]);
/// # let _ = tool;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CallbackTool {
    spec: ToolSpec,
    hints: Hints,
    effects: Arc<Effects>,
    call: Arc<Call>,
}

impl CallbackTool {
    /// Creates a tool from a spec and a callback. Dropping the callback's future must stop its work.
    pub fn new<F, W>(spec: ToolSpec, callback: F) -> Self
    where
        F: Fn(Context, Payload) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Output, ToolError>> + Send + 'static,
    {
        Self {
            spec,
            hints: Hints { risk: Risk::High, ..Hints::default() },
            effects: Arc::new(|_| vec![Effect::Unknown]),
            call: Arc::new(move |ctx, payload| Box::pin(callback(ctx, payload))),
        }
    }

    /// Sets the hints of the tool.
    pub fn with_hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// Sets the function that derives the effects of a call from its payload alone.
    pub fn with_effects(mut self, effects: impl Fn(&Payload) -> Vec<Effect> + Send + Sync + 'static) -> Self {
        self.effects = Arc::new(effects);
        self
    }
}

impl Tool for CallbackTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn is_in_presets(&self) -> bool {
        false
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        (self.effects)(payload)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        (self.call)(ctx.clone(), payload.clone())
    }
}

impl fmt::Debug for CallbackTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackTool").field("name", self.spec.name()).finish_non_exhaustive()
    }
}
