//! The `Tool` trait.

use std::future::Future;
use std::pin::Pin;

use windlass_protocol::{Effect, Hints, Payload, PlannedFile, ReconcileOutcome, ToolSpec};

use crate::{Context, EarlyArguments, GrowingArguments, Inspection, Output, ProgressSink, ToolError};

/// The future of a tool's output.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<Output, ToolError>> + Send + 'a>>;

/// A tool that a model can call.
///
/// Before `call`, the toolbox validates the arguments against the spec's schema, policy decides about the
/// effects, and a human may be asked for approval. A tool must not have observable effects before `call`
/// (RULES H3).
///
/// ```
/// use serde::Deserialize;
/// use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
/// use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
///
/// struct Add(ToolSpec);
///
/// #[derive(Deserialize)]
/// struct AddArguments {
///     left: i64,
///     right: i64,
/// }
///
/// impl Add {
///     fn new() -> Result<Self, Box<dyn std::error::Error>> {
///         let schema = r#"{"type":"object","properties":{"left":{"type":"integer"},
///             "right":{"type":"integer"}},"required":["left","right"],"additionalProperties":false}"#;
///         Ok(Self(ToolSpec::function(ToolName::new("add")?, "Adds two integers.", schema.parse()?)))
///     }
/// }
///
/// impl Tool for Add {
///     fn spec(&self) -> &ToolSpec {
///         &self.0
///     }
///     fn hints(&self) -> Hints {
///         Hints::read_only()
///     }
///     fn effects(&self, _: &Payload) -> Vec<Effect> {
///         vec![Effect::Internal]
///     }
///     fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
///         Box::pin(async move {
///             let Payload::Function { arguments } = payload else {
///                 return Err(ToolError::model("call it as a function"));
///             };
///             let AddArguments { left, right } = serde_json::from_str(arguments.as_str())
///                 .map_err(|error| ToolError::model(format!("the arguments do not fit: {error}")))?;
///             Ok(Output::text(left.saturating_add(right).to_string()))
///         })
///     }
/// }
/// # Add::new()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Tool: Send + Sync {
    /// Returns the name, the description and the schema, as the model receives them.
    fn spec(&self) -> &ToolSpec;

    /// Returns the tool's hints about itself. Default: modifies state, does not run concurrently with other
    /// calls, medium risk.
    fn hints(&self) -> Hints {
        Hints::default()
    }

    /// Returns the configuration feature that switches the tool on, if the tool requires one. The tool itself
    /// declares the feature, so a tool of another library with the same name is not affected. A wrapper
    /// returns the feature of the wrapped tool.
    fn feature(&self) -> Option<&str> {
        None
    }

    /// Returns whether the toolbox's built-in rules about models mean this tool. The rules name tools, so
    /// without this method they would also apply to another library's tool with the same name. Default: false.
    /// A wrapper returns the value of the wrapped tool.
    fn has_built_in_rules(&self) -> bool {
        false
    }

    /// Returns whether the presets of a toolbox, which list the built-in tools by name, mean this tool. A tool that
    /// they do not mean is offered with every preset, whatever its name. Default: true. Tools of the macro `#[tool]`
    /// and callback tools return false. A wrapper returns the value of the wrapped tool.
    fn is_in_presets(&self) -> bool {
        true
    }

    /// Returns the effects that this call would have. Must only read the payload and must not access files,
    /// processes or sockets. A tool that cannot determine the effects returns `Effect::Unknown`, which policy
    /// treats as the worst case.
    fn effects(&self, payload: &Payload) -> Vec<Effect>;

    /// Shows the call while its arguments still stream.
    ///
    /// Called when a call begins and after each delta. The call is not approved yet and the arguments may
    /// never be completed, so this method must only emit progress (RULES H3, J1). It must return quickly
    /// because the run waits for it. The default ignores the arguments, so it is called once per call.
    ///
    /// The trait `ReadPartial` of `windlass-tool-args` reads the arguments as JSON or as the tool's own type.
    fn on_partial(&self, show: &mut ProgressSink<'_>, arguments: &mut GrowingArguments) {
        let _ = show;
        arguments.ignore();
    }

    /// Returns the effects that the call is certain to have, according to the arguments that are complete
    /// while others still stream. Policy can then refuse the call before the rest arrives. Default: no
    /// effects.
    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let _ = complete;
        Vec::new()
    }

    /// Collects the state that the call would run on: files, links, the confinement of a process. Policy
    /// decides by the inspection, a human sees its changes, and an approval is bound to it; it is repeated
    /// immediately before the call runs. Must not change anything, and must be bounded in time and size.
    /// Default: an empty inspection.
    fn inspect(&self, payload: &Payload) -> Inspection {
        let _ = payload;
        Inspection::default()
    }

    /// Returns whether a call that had begun when its process ended took effect, according to the files that
    /// `inspect` planned. Must not change anything. The default is `ReconcileOutcome::Unknown`, and the call is not
    /// repeated (RULES R6).
    fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        let _ = planned;
        ReconcileOutcome::Unknown
    }

    /// Runs the call.
    ///
    /// Must be cancel-safe: the future may be dropped at any await point, and `Context::cancellation` signals
    /// when to stop early. Processes and tasks that the tool started must not outlive the future.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a>;
}
