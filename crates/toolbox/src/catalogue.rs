//! What is known of tools by their names: presets, groups, other agents' names, and what has to be switched on.

use crate::ToolGroup;

/// Read, write, edit, run.
pub(crate) const MINIMAL: &[&str] = &["read_file", "write_file", "edit_file", "run_command"];

/// What a coding agent needs. `main_agent` has two more.
pub(crate) const STANDARD: &[&str] = &[
    "read_file",
    "write_file",
    "edit_file",
    "delete_file",
    "list_files",
    "grep_file",
    "codebase_search",
    "view_image",
    "run_command",
    "read_command_output",
    "kill_command",
    "web_fetch",
    "fetch_instructions",
    "skill",
    "update_todo_list",
    "ask_followup_question",
    "attempt_completion",
    "switch_mode",
    "new_task",
];

/// What the main agent of an application has besides the standard preset.
pub(crate) const MAIN_AGENT: &[&str] = &["execute_code", "apply_patch"];

/// Names under which models know the same tool (RULES N4): alias, then name. An alias is used where nothing else has
/// its name, so that a tool of that name stays itself.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("write_to_file", "write_file"),
    // A `create_file` of its own refuses what is there; without one the model means the writing.
    ("create_file", "write_file"),
    ("list_dir", "list_files"),
    ("search_and_replace", "edit_file"),
    ("search_replace", "edit_file"),
    ("edit", "edit_file"),
    ("search_files", "grep_file"),
    ("grep_files", "grep_file"),
    ("execute_command", "run_command"),
    ("shell", "run_command"),
    ("shell_command", "run_command"),
    ("local_shell", "run_command"),
    ("update_plan", "update_todo_list"),
    ("skill", "fetch_instructions"),
    ("fetch_instructions", "skill"),
    ("request_user_input", "ask_followup_question"),
];

/// The groups of tools by their names. A tool that is not here is put by what it says about itself.
const GROUPS: &[(ToolGroup, &[&str])] = &[
    (
        ToolGroup::Read,
        &[
            "read_file",
            "list_files",
            "grep_file",
            "codebase_search",
            "indexer_search_code",
            "indexer_search_files",
            "indexer_analyze_file",
            "indexer_extract_symbols",
            "indexer_get_metrics",
            "indexer_detect_language",
            "view_image",
            "fetch_instructions",
            "skill",
            "run_slash_command",
        ],
    ),
    (
        ToolGroup::Edit,
        &[
            "write_file",
            "create_file",
            "delete_file",
            "edit_file",
            "apply_diff",
            "apply_patch",
            "generate_image",
        ],
    ),
    (
        ToolGroup::Command,
        &[
            "run_command",
            "read_command_output",
            "kill_command",
            "exec_command",
            "write_stdin",
            "run_pty_cmd",
            "create_pty_session",
            "send_pty_input",
            "read_pty_session",
            "close_pty_session",
            "list_pty_sessions",
            "execute_code",
        ],
    ),
    (ToolGroup::Browser, &["browser_action", "web_fetch", "web_search", "web_search_answer", "web_extract"]),
    (ToolGroup::Mcp, &["use_mcp_tool", "access_mcp_resource"]),
    (ToolGroup::Modes, &["switch_mode", "new_task"]),
];

/// What every mode has, whatever its groups and the preset: a way to ask, to end, to note, and out.
const ALWAYS: &[&str] =
    &["ask_followup_question", "attempt_completion", "update_todo_list", "switch_mode", "new_task"];

/// Other forms of the same, which every mode lets through where they are wanted.
const ALIKE: &[&str] = &["request_user_input", "update_plan"];

/// The group that the catalogue has a tool in.
pub(crate) fn group(name: &str) -> Option<ToolGroup> {
    GROUPS.iter().find(|(_, names)| names.contains(&name)).map(|(group, _)| *group)
}

/// Whether every mode has the tool.
pub(crate) fn is_always_there(name: &str) -> bool {
    ALWAYS.contains(&name)
}

/// Whether no mode takes the tool away.
pub(crate) fn is_of_every_mode(name: &str) -> bool {
    is_always_there(name) || ALIKE.contains(&name)
}

/// Whether the catalogue has ever heard of a tool of this name, so that a configuration may name one that is not
/// registered here.
pub(crate) fn is_known(name: &str) -> bool {
    group(name).is_some() || is_of_every_mode(name)
}
