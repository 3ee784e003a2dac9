//! Built-in knowledge about tools by name: presets, groups and aliases.

use crate::ToolGroup;

/// The minimal preset.
pub(crate) const MINIMAL: &[&str] = &["read_file", "write_file", "edit_file", "run_command"];

/// The standard preset: the tools that a coding agent needs. `ToolConfig::main_agent` adds two more.
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

/// Tools that `ToolConfig::main_agent` adds to the standard preset.
pub(crate) const MAIN_AGENT: &[&str] = &["execute_code", "apply_patch"];

/// Pairs of alias and tool name, for names under which models know the same tool (RULES N4). An alias is only
/// added if no tool is registered under it.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("write_to_file", "write_file"),
    // A dedicated `create_file` tool refuses to overwrite a file. Without such a tool, the model means
    // `write_file`.
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

/// Groups of well-known tools. A tool that is not listed is classified by its hints.
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

/// Tools that every mode has, independent of its groups and of the preset: ask a question, finish, keep a
/// todo list, and change the mode.
const ALWAYS: &[&str] =
    &["ask_followup_question", "attempt_completion", "update_todo_list", "switch_mode", "new_task"];

/// Alternatives to these tools that every mode permits if the preset or the configuration includes them.
const ALIKE: &[&str] = &["request_user_input", "update_plan"];

/// Returns the group of a well-known tool.
pub(crate) fn group(name: &str) -> Option<ToolGroup> {
    GROUPS.iter().find(|(_, names)| names.contains(&name)).map(|(group, _)| *group)
}

/// Returns whether every mode includes the tool.
pub(crate) fn is_always_there(name: &str) -> bool {
    ALWAYS.contains(&name)
}

/// Returns whether every mode permits the tool.
pub(crate) fn is_of_every_mode(name: &str) -> bool {
    is_always_there(name) || ALIKE.contains(&name)
}

/// Returns whether the tool is well known, so that a configuration may name it although it is not registered.
pub(crate) fn is_known(name: &str) -> bool {
    group(name).is_some() || is_of_every_mode(name)
}
