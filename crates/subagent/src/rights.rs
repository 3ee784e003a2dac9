//! The selection of the caller's tools for an agent.

use windlass_toolbox::Toolbox;

use crate::AgentDefinition;

/// Tools that agents never get. An agent completes its task by an answer without a call, cannot change the
/// mode of its run, and must not change the plan of its caller.
const NEVER: [&str; 4] = ["attempt_completion", "switch_mode", "update_todo_list", "update_plan"];
/// Tools that start agents or control them.
const DELEGATING: [&str; 6] =
    ["new_task", "spawn_agent", "send_input", "wait", "close_agent", "run_workflow"];
const DELEGATING_PREFIX: &str = "sub_agent_";

/// Returns the toolbox of an agent: the tools that the caller offers now and the definition selects.
pub(crate) fn narrow_tools(callers: &Toolbox, definition: &AgentDefinition) -> Toolbox {
    let names = callers.iter_offered_names().map(ToString::to_string);
    let names: Vec<String> = names.filter(|name| is_given(definition, name)).collect();
    callers.only(names)
}

fn is_given(definition: &AgentDefinition, name: &str) -> bool {
    let delegates = name.starts_with(DELEGATING_PREFIX) || DELEGATING.contains(&name);
    let is_named = definition.tools.as_ref().is_none_or(|patterns| {
        patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        })
    });
    !NEVER.contains(&name) && if delegates { definition.may_delegate } else { is_named }
}
