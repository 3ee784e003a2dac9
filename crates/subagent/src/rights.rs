//! What an agent is given of its caller's tools.

use windlass_toolbox::Toolbox;

use crate::AgentDefinition;

/// What no agent is given: to end and to change the mode of a run are not its affair, and the list of steps is the
/// caller's. It says that it is done by answering in words.
const NEVER: [&str; 4] = ["attempt_completion", "switch_mode", "update_todo_list", "update_plan"];
/// What hands work on.
const DELEGATING: [&str; 6] =
    ["new_task", "spawn_agent", "send_input", "wait", "close_agent", "run_workflow"];
const DELEGATING_PREFIX: &str = "sub_agent_";

/// The toolbox of an agent: of what the caller offers now, what the definition names.
pub(crate) fn narrowed(callers: &Toolbox, definition: &AgentDefinition) -> Toolbox {
    let names = callers.offered_names().map(ToString::to_string);
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
