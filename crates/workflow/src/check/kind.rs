//! Determines the kind of a step and validates its keys.

use serde_json::{Value, json};
use windlass_protocol::ToolName;

use super::{CheckedSteps, Level, LevelContext, level};
use crate::condition::Condition;
use crate::plan::{Group, Kind, OutputConversion};
use crate::questions::{APPROVAL, INPUT};
use crate::template::{Filling, Path};
use crate::{PathError, StepDefinition, WorkflowError};

/// The name prefix of the tools that delegate a task to an agent.
const AGENT: &str = "sub_agent_";
/// The default and the maximum number of elements of a `map`.
const MOST: (usize, usize) = (100, 1_000);
const KINDS: &str = "tool, agent, approval, ask, condition, parallel or map";

/// The kind of a step, and the paths that its inner steps read from the levels around it.
pub(super) struct CheckedKind {
    pub(super) kind: Kind,
    pub(super) inner: Vec<Path>,
}

pub(super) fn check_kind(
    step: &StepDefinition,
    here: &Level<'_>,
    around: LevelContext<'_>,
) -> Result<CheckedKind, WorkflowError> {
    let wrong = |problem: String| WorkflowError::Kind { step: step.name.clone(), problem };
    let path = |problem: PathError| WorkflowError::Path { step: step.name.clone(), problem };
    let kinds = kinds(step);
    let [kind] = kinds.as_slice() else {
        let met = if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(" and ") };
        return Err(wrong(format!("it has {met}, and needs exactly one of {KINDS}")));
    };
    if let Some((key, owner)) = find_misplaced(step, kind) {
        return Err(wrong(format!("`{key}` belongs to {owner}, and this is a step with `{kind}`")));
    }
    let call =
        |tool: String, arguments: Value, reading: OutputConversion| -> Result<CheckedKind, WorkflowError> {
            ToolName::new(&tool).map_err(|error| wrong(error.to_string()))?;
            let arguments = Filling::parse(&arguments).map_err(path)?;
            Ok(CheckedKind { kind: Kind::Call { tool, arguments, reading }, inner: Vec::new() })
        };
    let output = OutputConversion::Output(step.output.unwrap_or_default());
    if let Some(tool) = &step.tool {
        return call(tool.clone(), Value::Object(step.arguments.clone()), output);
    }
    if let Some(agent) = &step.agent {
        let task = step.task.as_ref().ok_or_else(|| wrong("an agent needs a `task`".to_owned()))?;
        return call(format!("{AGENT}{agent}"), json!({ "task": task }), output);
    }
    if let Some(question) = &step.approval {
        let about = step.about.clone().unwrap_or_default();
        return call(
            APPROVAL.to_owned(),
            json!({"question": question, "about": about}),
            OutputConversion::Approval,
        );
    }
    if let Some(question) = &step.ask {
        let arguments = json!({"question": question, "suggestions": step.suggestions});
        return call(INPUT.to_owned(), arguments, OutputConversion::Output(step.output.unwrap_or_default()));
    }
    if let Some(condition) = &step.condition {
        let condition = Condition::parse(condition).map_err(path)?;
        let (then, otherwise) = (step.then.clone(), step.otherwise.clone());
        return Ok(CheckedKind { kind: Kind::Condition { condition, then, otherwise }, inner: Vec::new() });
    }
    group(step, here, around)
}

fn group(
    step: &StepDefinition,
    here: &Level<'_>,
    around: LevelContext<'_>,
) -> Result<CheckedKind, WorkflowError> {
    let over = step.map.as_ref().map(Filling::parse).transpose();
    let over = over.map_err(|problem| WorkflowError::Path { step: step.name.clone(), problem })?;
    let steps = if over.is_some() { &step.body } else { &step.parallel };
    if steps.is_empty() {
        let problem = "a `map` needs what is done for each element: [[step.do]]".to_owned();
        return Err(WorkflowError::Kind { step: step.name.clone(), problem });
    }
    let inside = LevelContext {
        outer: Some(here),
        has_item: around.has_item || over.is_some(),
        depth: around.depth.saturating_add(1),
        ..around
    };
    let CheckedSteps { nodes, reads } = level(steps, inside)?;
    // A `map` runs its elements sequentially unless its author sets `at_once`.
    let at_once = step.at_once.or(over.is_some().then_some(1)).map(|count| count.max(1));
    let most = step.most.unwrap_or(MOST.0).min(MOST.1);
    Ok(CheckedKind { kind: Kind::Group(Group { over, nodes, at_once, most }), inner: reads })
}

fn kinds(step: &StepDefinition) -> Vec<&'static str> {
    let all = [
        ("tool", step.tool.is_some()),
        ("agent", step.agent.is_some()),
        ("approval", step.approval.is_some()),
        ("ask", step.ask.is_some()),
        ("condition", step.condition.is_some()),
        ("parallel", !step.parallel.is_empty()),
        ("map", step.map.is_some()),
    ];
    all.into_iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| kind).collect()
}

/// Returns a key that belongs to another kind of step and would be ignored silently, and the kind that it
/// belongs to.
fn find_misplaced(step: &StepDefinition, kind: &str) -> Option<(&'static str, &'static str)> {
    let is_call = matches!(kind, "tool" | "agent" | "ask");
    let is_group = matches!(kind, "parallel" | "map");
    let all = [
        ("arguments", "a step with `tool`", !step.arguments.is_empty(), kind == "tool"),
        ("task", "a step with `agent`", step.task.is_some(), kind == "agent"),
        ("output", "a step with `tool`, `agent` or `ask`", step.output.is_some(), is_call),
        ("about", "a step with `approval`", step.about.is_some(), kind == "approval"),
        ("suggestions", "a step with `ask`", !step.suggestions.is_empty(), kind == "ask"),
        ("then", "a step with `condition`", !step.then.is_empty(), kind == "condition"),
        ("else", "a step with `condition`", !step.otherwise.is_empty(), kind == "condition"),
        ("do", "a step with `map`", !step.body.is_empty(), kind == "map"),
        ("most", "a step with `map`", step.most.is_some(), kind == "map"),
        ("at_once", "a step with `map` or `parallel`", step.at_once.is_some(), is_group),
        ("retries", "a step that makes a call", step.retries > 0, is_call),
        ("repeatable", "a step that makes a call", step.repeatable, is_call),
    ];
    all.into_iter().find(|(_, _, is_there, fits)| *is_there && !fits).map(|(key, owner, ..)| (key, owner))
}
