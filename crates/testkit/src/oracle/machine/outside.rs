//! The tools of the driven machine, and the decision of their calls.

use windlass_hitl::{ApprovalHistory, ApprovalRequest, Binding, Grants, Policy, PolicyInput, decide};
use windlass_loop::{CallDecision, Config, ContextLimits, OfferedTool, Repairs, UnansweredPolicy};
use windlass_protocol::{
    Control, Effect, Hints, PlannedFile, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec,
};

fn spec(name: &str) -> ToolSpec {
    let schema = r#"{"type":"object"}"#.parse().expect("the schema is JSON");
    ToolSpec::function(ToolName::new(name).expect("a plain name"), "A tool.", schema)
}

/// Configures the tools: `look` reads, `change` writes, `done` completes the run, `child` has its own record.
pub(super) fn config(unanswered: UnansweredPolicy) -> Config {
    let done = Hints { control: Control::Completion, ..Hints::default() };
    let child = Hints { resumable: true, ..Hints::default() };
    let tools =
        [("look", Hints::read_only()), ("change", Hints::default()), ("done", done), ("child", child)];
    let tools = tools.map(|(name, hints)| OfferedTool::new(spec(name), hints));
    let config = Config::new("model", tools.to_vec()).with_repairs(Repairs::All).with_unanswered(unanswered);
    match unanswered {
        // Runs that suspend also have a small context window.
        UnansweredPolicy::Suspend => config.with_context(ContextLimits {
            window: 120,
            keep_answers: 1,
            keep_result_bytes: 3,
            ..ContextLimits::default()
        }),
        UnansweredPolicy::Deny => config,
    }
}

/// Returns the decision of a call.
pub(super) fn decision(call: &ToolCall, by: u8) -> CallDecision {
    let effects = match call.name.as_str() {
        "look" | "done" => vec![Effect::Internal],
        _ if by.is_multiple_of(5) => vec![Effect::Write { path: "../outside".into(), bytes: None }],
        _ => vec![Effect::Write { path: "a.txt".into(), bytes: None }],
    };
    let planned = PlannedFile::new("a.txt", None, Some("after".into()));
    let planned = if by.is_multiple_of(3) { vec![planned] } else { Vec::new() };
    let facts = PolicyInput::new(call.name.clone(), Hints::default(), call, effects).with_planned(planned);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    let spec = spec("look");
    let digest = Binding { facts: &facts, call, spec: &spec, root: "/", epoch: "" }.digest();
    let id = format!("ask-{}", call.id);
    let request = ApprovalRequest::new(id, call.clone(), &facts, &decision, digest);
    if by.is_multiple_of(7) {
        CallDecision::Refused(ToolResult::text(call.id.clone(), ResultStatus::InvalidArguments, "no"))
    } else {
        CallDecision::Decided { facts: Box::new(facts), decision, request: Some(Box::new(request)) }
    }
}
