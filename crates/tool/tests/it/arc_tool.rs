//! A shared tool answers like the tool itself.

use std::sync::Arc;

use windlass_protocol::{
    Arguments, CallId, Effect, Hints, Payload, PlannedFile, ReconcileOutcome, ToolName, ToolSpec,
};
use windlass_tool::{Context, Inspection, Output, Tool, ToolFuture};

/// A tool whose answers all differ from the defaults of the trait.
struct Odd(ToolSpec);

impl Tool for Odd {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    fn hints(&self) -> Hints {
        Hints::read_only()
    }
    fn feature(&self) -> Option<&str> {
        Some("odd")
    }
    fn has_built_in_rules(&self) -> bool {
        true
    }
    fn is_in_presets(&self) -> bool {
        false
    }
    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }
    fn inspect(&self, _: &Payload) -> Inspection {
        let mut seen = Inspection::default();
        seen.call_kind = Some("odd".to_owned());
        seen
    }
    fn aftermath(&self, _: &[PlannedFile]) -> ReconcileOutcome {
        ReconcileOutcome::Done
    }
    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async { Ok(Output::text("odd")) })
    }
}

#[tokio::test]
async fn an_arc_of_a_tool_forwards_every_answer() {
    let schema = r#"{"type":"object"}"#.parse().unwrap();
    let odd: Arc<dyn Tool> = Arc::new(Odd(ToolSpec::function(ToolName::new("odd").unwrap(), "Odd.", schema)));
    // An `Arc` of a tool implements `Tool` itself, so an `Arc` of it does too.
    let tool: &dyn Tool = &Arc::new(odd);
    let payload = Payload::Function { arguments: Arguments::default() };
    assert_eq!(tool.spec().name().as_str(), "odd");
    assert_eq!(tool.hints(), Hints::read_only());
    assert_eq!(tool.feature(), Some("odd"));
    assert!(tool.has_built_in_rules());
    assert!(!tool.is_in_presets());
    assert_eq!(tool.effects(&payload), [Effect::Internal]);
    assert_eq!(tool.inspect(&payload).call_kind.as_deref(), Some("odd"));
    assert_eq!(tool.aftermath(&[]), ReconcileOutcome::Done);
    let ctx = Context::new(CallId::new("1").unwrap());
    assert_eq!(tool.call(&ctx, &payload).await.unwrap().words(), "odd");
}
