//! Values of the notification `session/update`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use windlass_hitl::{display_line, escape_unsafe};

/// Longest title of a call in characters.
const MAX_TITLE: usize = 160;

/// Largest text of a result in bytes that the client receives. The model receives all of it.
const MAX_TEXT: usize = 64 * 1024;

/// Returns a chunk of a message: `agent_message_chunk`, `agent_thought_chunk` or `user_message_chunk`.
pub(crate) fn chunk(kind: &str, text: &str) -> Value {
    json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}})
}

/// Returns a text as content of a tool call.
pub(crate) fn text_content(text: &str) -> Value {
    let shown = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
    let mut shown = shown.to_owned();
    if shown.len() < text.len() {
        let rest = text.len().saturating_sub(shown.len());
        let _ = write!(shown, "\n[{rest} more bytes]");
    }
    json!({"type": "content", "content": {"type": "text", "text": shown}})
}

/// Returns the kind of a tool.
pub(crate) fn kind_of(tool: &str) -> &'static str {
    match tool {
        "read_file"
        | "list_files"
        | "view_image"
        | "read_command_output"
        | "fetch_instructions"
        | "skill" => "read",
        "write_file" | "write_to_file" | "create_file" | "edit_file" | "apply_diff" | "apply_patch"
        | "search_and_replace" | "search_replace" | "edit" => "edit",
        "delete_file" => "delete",
        "grep_file" | "search_files" | "grep_files" | "codebase_search" | "tool_search" => "search",
        "run_command" | "execute_command" | "shell" | "shell_command" | "local_shell" | "exec_command"
        | "execute_code" | "kill_command" | "write_stdin" => "execute",
        "update_todo_list" | "update_plan" => "think",
        "web_fetch" | "web_search" | "web_search_answer" | "web_extract" | "browser_action" => "fetch",
        "switch_mode" => "switch_mode",
        _ => "other",
    }
}

/// Returns the title of a call: the tool and the argument that identifies the call best.
pub(crate) fn title_of(tool: &str, arguments: &Value) -> String {
    const NAMES: [&str; 6] = ["path", "command", "pattern", "query", "url", "name"];
    let target = NAMES.iter().find_map(|name| arguments.get(name).and_then(Value::as_str));
    let title = target.map_or_else(|| tool.to_owned(), |target| format!("{tool} {target}"));
    shorten_call(&title)
}

/// Returns the first line of a text, shortened for a title.
pub(crate) fn shorten(text: &str) -> String {
    // Invisible characters could hide the end of a text.
    cut(&escape_unsafe(text.trim().lines().next().unwrap_or_default()))
}

/// Returns the description of a call on one line, shortened for a title. Line breaks are displayed as escapes, because
/// a person who approves the call must see that a command goes on after its first line.
pub(crate) fn shorten_call(text: &str) -> String {
    cut(&display_line(text.trim()))
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_TITLE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// Returns the files of a call's arguments as absolute locations.
pub(crate) fn locations_of(root: &Path, arguments: &Value) -> Vec<Value> {
    let path = arguments.get("path").and_then(Value::as_str).filter(|path| !path.is_empty());
    let line = ["line", "start_line"].iter().find_map(|name| arguments.get(name)?.as_u64());
    path.map(|path| location(root, path, line)).into_iter().collect()
}

fn location(root: &Path, path: &str, line: Option<u64>) -> Value {
    let mut value = json!({"path": root.join(path)});
    if let (Some(line), Some(fields)) = (line, value.as_object_mut()) {
        fields.insert("line".to_owned(), json!(line));
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{shorten_call, title_of};

    // H14
    #[test]
    fn a_title_escapes_line_breaks_of_a_command() {
        let title = |command: &str| title_of("run_command", &json!({ "command": command }));
        assert_eq!(title("echo tidy # \ntouch x"), r"run_command echo tidy # \ntouch x");
        assert_eq!(title(r"echo tidy # \ntouch x"), r"run_command echo tidy # \\ntouch x");
        assert_eq!(shorten_call("Allow: `a\nb` in c/"), r"Allow: `a\nb` in c/");
    }
}
