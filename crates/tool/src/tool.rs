//! The trait of a tool.

use std::future::Future;
use std::pin::Pin;

use windlass_protocol::{Aftermath, Effect, Hints, Payload, PlannedFile, ToolSpec};

use crate::{Context, EarlyArguments, GrowingArguments, Inspection, Output, Showing, ToolError};

/// The wait for a tool's output.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<Output, ToolError>> + Send + 'a>>;

/// Something that a model can call.
///
/// The toolbox checks the arguments against the spec's schema, policy judges the effects and a human may be
/// asked, all before `call`. Nothing observable may happen before it (RULES H3).
///
/// ```
/// use serde::Deserialize;
/// use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
/// use windlass_tool::{Context, Output, Tool, ToolFuture, read_arguments};
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
///             let AddArguments { left, right } = read_arguments(payload)?;
///             Ok(Output::text(left.saturating_add(right).to_string()))
///         })
///     }
/// }
/// # Add::new()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Tool: Send + Sync {
    /// Name, description and schema, as the model is told.
    fn spec(&self) -> &ToolSpec;

    /// What the tool says about itself. By default: changes things, runs alone, medium risk.
    fn hints(&self) -> Hints {
        Hints::default()
    }

    /// The feature of a configuration by which the tool is switched on, if it waits for one. The tool says so itself: a tool
    /// of another program that has the same name waits for nothing. A tool that wraps another passes this on.
    fn feature(&self) -> Option<&str> {
        None
    }

    /// What this call would do. It only reads the payload: no file, no process, no socket. A tool that
    /// cannot say returns `Effect::Unknown`, which policy treats as the worst.
    fn effects(&self, payload: &Payload) -> Vec<Effect>;

    /// Looks at the arguments while they still arrive, to show what the call will do.
    ///
    /// Called when a call begins and after each delta. Nothing of this is approved and the arguments may never
    /// be finished, so it shows and does nothing else (RULES H3, J1). It must be quick: the run waits for it.
    /// By default the arguments are ignored, and the tool is asked once a call.
    ///
    /// ```
    /// # use windlass_tool::{GrowingArguments, Progress, Showing};
    /// # use windlass_partial_json::Event;
    /// # struct Write;
    /// # impl Write {
    /// fn on_partial(&self, show: &mut Showing<'_>, arguments: &mut GrowingArguments) {
    ///     arguments.drain_events(|event| match event {
    ///         Event::Grew { path: "/content", text } => show.tell(Progress::Output(text.into())),
    ///         _ => {}
    ///     });
    /// }
    /// # }
    /// # let mut arguments = GrowingArguments::default();
    /// # arguments.push(r#"{"content": "a"#);
    /// # let mut told = Vec::new();
    /// # Write.on_partial(&mut Showing::new(&mut |progress| told.push(progress)), &mut arguments);
    /// # assert_eq!(told, [Progress::Output("a".into())]);
    /// ```
    fn on_partial(&self, show: &mut Showing<'_>, arguments: &mut GrowingArguments) {
        let _ = show;
        arguments.ignore();
    }

    /// What the whole call is sure to do, as far as those of its arguments say that are complete while the
    /// others still stream. Policy can then refuse it before the rest has come. By default: nothing is sure.
    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let _ = complete;
        Vec::new()
    }

    /// Looks at what the call meets where it would run: files, links, the confinement of a process. Policy judges
    /// by it, a human is shown its changes, and an approval is bound to it; it is asked again just before the call
    /// runs. It reads and changes nothing, and is bounded in time and size. By default: nothing to see.
    fn inspect(&self, payload: &Payload) -> Inspection {
        let _ = payload;
        Inspection::default()
    }

    /// Says what is left of a call that had begun when its program ended, from what was planned by `inspect` before it.
    /// It reads and changes nothing. By default nobody can tell, and the call is not made again (RULES R6).
    fn aftermath(&self, planned: &[PlannedFile]) -> Aftermath {
        let _ = planned;
        Aftermath::Unknown
    }

    /// Runs the call.
    ///
    /// Must be cancel-safe: the future may be dropped at any await, and `Context::cancellation` tells when to
    /// stop early. What the tool started must not outlive it.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a>;
}
