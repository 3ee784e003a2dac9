//! Conformance of tools. A tool that passes can be registered in a toolbox.

mod arguments;
mod catching;
mod reading;
mod rule;
mod running;

use windlass_protocol::Payload;
use windlass_protocol::kit::RuleViolation;

use crate::{Context, Tool};

pub use rule::ToolRule;

/// Checks a tool with an example of a call that succeeds.
///
/// The kit reads the spec, declares and inspects the example and damaged copies of it, and shows its arguments in
/// pieces. Then it runs the example, drops a second run after its first poll, and runs the example again, so the
/// example has effects up to three times. It also calls the tool with a payload of another kind.
///
/// ```
/// # use windlass_protocol::{Arguments, CallId, Effect, Hints, Payload, ToolName, ToolSpec};
/// # use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
/// use windlass_tool::kit::check_tool;
/// # struct Ping(ToolSpec);
/// # impl Tool for Ping {
/// #     fn spec(&self) -> &ToolSpec { &self.0 }
/// #     fn hints(&self) -> Hints { Hints::read_only() }
/// #     fn effects(&self, _: &Payload) -> Vec<Effect> { vec![Effect::Internal] }
/// #     fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
/// #         Box::pin(async move {
/// #             match payload {
/// #                 Payload::Function { .. } => Ok(Output::text("pong")),
/// #                 _ => Err(ToolError::model("call it as a function")),
/// #             }
/// #         })
/// #     }
/// # }
/// # impl Ping {
/// #     fn new() -> Self {
/// #         let name = ToolName::new("ping").unwrap();
/// #         Self(ToolSpec::function(name, "Answers.", r#"{"type":"object"}"#.parse().unwrap()))
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ctx = Context::new(CallId::new("call_1")?);
/// check_tool(&Ping::new(), &ctx, &Payload::Function { arguments: Arguments::default() }).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the first rule that the tool does not follow.
pub async fn check_tool(
    tool: &dyn Tool,
    ctx: &Context,
    example: &Payload,
) -> Result<(), RuleViolation<ToolRule>> {
    reading::check_spec(tool)?;
    reading::check_effects(tool, example)?;
    reading::check_damaged(tool, example)?;
    reading::check_early(tool, example)?;
    running::check_other_payload(tool, ctx, example).await?;
    running::check_call(tool, ctx, example).await?;
    running::check_drop(tool, ctx, example).await
}
