//! Calls in the form in which hooks of Claude Code read them.

use std::path::Path;

use serde_json::{Map, Value, json};
use windlass_protocol::{Arguments, Effect, Payload, ToolCall};

/// Maximum number of files of one call that hooks see.
const MAX_FILES: usize = 50;

/// A call under the name and with the arguments that a hook reads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolView {
    pub(super) name: String,
    pub(super) input: Value,
    /// True if changed input can be converted back to arguments of the call.
    can_change: bool,
}

/// Names of an argument: the documented one, and that of this program.
type KeyNames = (&'static str, &'static str);

const WRITE_KEYS: [KeyNames; 2] = [("file_path", "path"), ("content", "content")];
const EDIT_KEYS: [KeyNames; 4] = [
    ("file_path", "path"),
    ("old_string", "old_text"),
    ("new_string", "new_text"),
    ("replace_all", "replace_all"),
];
const READ_KEYS: [KeyNames; 3] = [("file_path", "path"), ("offset", "offset"), ("limit", "limit")];
const BASH_KEYS: [KeyNames; 3] =
    [("command", "command"), ("timeout", "timeout_ms"), ("run_in_background", "background")];
const GREP_KEYS: [KeyNames; 3] = [("pattern", "pattern"), ("path", "path"), ("glob", "glob")];
const FETCH_KEYS: [KeyNames; 1] = [("url", "url")];
const SEARCH_KEYS: [KeyNames; 1] = [("query", "query")];
const LIST_KEYS: [KeyNames; 2] = [("path", "path"), ("pattern", "pattern")];

/// Tools of this program, their documented counterparts, and the names of the arguments.
const TOOLS: [(&str, &str, &[KeyNames]); 9] = [
    ("run_command", "Bash", &BASH_KEYS),
    ("write_file", "Write", &WRITE_KEYS),
    ("create_file", "Write", &WRITE_KEYS),
    ("edit_file", "Edit", &EDIT_KEYS),
    ("read_file", "Read", &READ_KEYS),
    ("grep_file", "Grep", &GREP_KEYS),
    ("list_files", "Glob", &LIST_KEYS),
    ("web_fetch", "WebFetch", &FETCH_KEYS),
    ("web_search", "WebSearch", &SEARCH_KEYS),
];

impl ToolView {
    /// Returns the views of a call. Besides the view of the tool itself, every command that the call would run is a view
    /// `Bash`, and every file that it would change or remove a view `Edit`, so that a hook for these tools guards all
    /// tools that do the same.
    pub(super) fn list_views(call: &ToolCall, effects: &[Effect], root: &Path) -> Vec<Self> {
        let mut views = vec![Self::own(call, root)];
        let has_keys =
            |view: &Self, key: &str, value: &str| view.input.get(key).and_then(Value::as_str) == Some(value);
        for effect in effects {
            let (name, key, value) = match effect {
                Effect::Execute { command, .. } => ("Bash", "command", command.clone()),
                Effect::Write { path, .. }
                | Effect::WriteTree { path }
                | Effect::Delete { path }
                | Effect::DeleteTree { path } => ("Edit", "file_path", absolute(root, path)),
                _ => continue,
            };
            // A command declares the folders that it may write, which are not files that it changes.
            let is_of_command = name == "Edit" && views.iter().any(|view| view.name == "Bash");
            if is_of_command
                || views.len() > MAX_FILES
                || views.iter().any(|view| has_keys(view, key, &value))
            {
                continue;
            }
            let view = Self { name: name.to_owned(), input: json!({ key: value }), can_change: false };
            // A tool without a documented counterpart is seen under its own name, too.
            views.push(view);
        }
        views
    }

    /// Returns the view of the tool itself.
    fn own(call: &ToolCall, root: &Path) -> Self {
        let arguments = match &call.payload {
            Payload::Function { arguments } | Payload::Mcp { arguments, .. } => arguments.as_object().clone(),
            Payload::Custom { input } => Map::from_iter([("input".to_owned(), json!(input))]),
            Payload::LocalShell { command, .. } => {
                return Self {
                    name: "Bash".to_owned(),
                    input: json!({ "command": quote(command) }),
                    can_change: false,
                };
            }
            _ => Map::new(),
        };
        let name = call.name.as_str();
        let Some((_, documented, keys)) = TOOLS.iter().find(|(own, ..)| *own == name) else {
            let name = mcp_name(name);
            return Self { name, input: Value::Object(arguments), can_change: true };
        };
        let mut input = Map::new();
        for (key, value) in arguments {
            let renamed = keys.iter().find(|(_, own)| *own == key).map(|(documented, _)| *documented);
            let value = match (renamed, value.as_str()) {
                (Some("file_path"), Some(path)) => json!(absolute(root, path)),
                _ => value,
            };
            input.insert(renamed.map_or(key, str::to_owned), value);
        }
        if let Some(argv) = input.get("argv").and_then(Value::as_array).filter(|_| *documented == "Bash") {
            let words: Vec<String> =
                argv.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect();
            input.insert("command".to_owned(), json!(quote(&words)));
        }
        Self { name: (*documented).to_owned(), input: Value::Object(input), can_change: true }
    }

    /// Returns the command or the path of the view.
    pub(super) fn subject(&self) -> Option<&str> {
        ["command", "file_path", "path", "url"].into_iter().find_map(|key| self.input.get(key)?.as_str())
    }

    /// Converts changed input to arguments of the call. `None` if that is not possible.
    pub(super) fn arguments(&self, call: &ToolCall, changed: &Value, root: &Path) -> Option<Arguments> {
        let changed = changed.as_object().filter(|_| self.can_change)?;
        let keys =
            TOOLS.iter().find(|(own, ..)| *own == call.name.as_str()).map_or(&[][..], |(.., keys)| keys);
        let mut arguments = Map::new();
        for (key, value) in changed {
            let own = keys.iter().find(|(documented, _)| documented == key).map(|(_, own)| *own);
            let value = match (key.as_str(), value.as_str()) {
                ("file_path", Some(path)) => json!(relative(root, path)),
                _ => value.clone(),
            };
            arguments.insert(own.unwrap_or(key).to_owned(), value);
        }
        // The command of a call with `argv` is only a view of it.
        if arguments.contains_key("argv") {
            let is_same = changed.get("command") == self.input.get("command");
            arguments.remove(if is_same { "command" } else { "argv" });
        }
        Arguments::parse(Value::Object(arguments).to_string()).ok()
    }
}

/// Returns the documented name of an MCP tool: `mcp__SERVER__TOOL`. Other names stay.
fn mcp_name(name: &str) -> String {
    if name.contains("__") && !name.starts_with("mcp__") { format!("mcp__{name}") } else { name.to_owned() }
}

fn absolute(root: &Path, path: &str) -> String {
    let path = if path == "." { root.to_owned() } else { root.join(path) };
    path.to_string_lossy().into_owned()
}

fn relative(root: &Path, path: &str) -> String {
    Path::new(path)
        .strip_prefix(root)
        .map_or_else(|_| path.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// Joins words to a command, each in single quotes if it is not plain.
fn quote(words: &[String]) -> String {
    let is_plain = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_./:=,@%+-".contains(letter))
    };
    let one = |word: &String| {
        if is_plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use windlass_protocol::{CallId, ToolName};

    use super::*;

    fn call(name: &str, arguments: &Value) -> ToolCall {
        let arguments = Arguments::parse(arguments.to_string()).unwrap();
        ToolCall::function(CallId::new("c1").unwrap(), ToolName::new(name).unwrap(), arguments)
    }

    fn views(name: &str, arguments: &Value, effects: &[Effect]) -> Vec<(String, Value)> {
        let views = ToolView::list_views(&call(name, arguments), effects, Path::new("/p"));
        views.into_iter().map(|view| (view.name, view.input)).collect()
    }

    #[test]
    fn calls_have_their_documented_names_and_arguments() {
        let given = json!({ "path": "src/a.rs", "old_text": "a", "new_text": "b" });
        let seen = json!({ "file_path": "/p/src/a.rs", "old_string": "a", "new_string": "b" });
        let write = Effect::Write { path: "src/a.rs".to_owned(), bytes: None };
        assert_eq!(views("edit_file", &given, &[write]), [("Edit".to_owned(), seen)]);
        let argv = json!({ "argv": ["echo", "it's"] });
        assert_eq!(views("run_command", &argv, &[])[0].1["command"], r"echo 'it'\''s'");
        assert_eq!(views("memory__add", &json!({}), &[])[0].0, "mcp__memory__add");
    }

    #[test]
    fn a_guard_of_edits_sees_every_tool_that_changes_files() {
        let effects =
            [Effect::Delete { path: ".env".to_owned() }, Effect::Write { path: "b".to_owned(), bytes: None }];
        let seen = views("apply_patch", &json!({ "patch": "…" }), &effects);
        let paths: Vec<&str> = seen.iter().filter_map(|(_, input)| input["file_path"].as_str()).collect();
        assert_eq!((seen[0].0.as_str(), paths), ("apply_patch", vec!["/p/.env", "/p/b"]));
        let run = Effect::Execute { command: "make".to_owned(), directory: ".".to_owned() };
        assert_eq!(views("exec_command", &json!({ "cmd": "make" }), &[run])[1].0, "Bash");
    }

    #[test]
    fn arguments_are_made_of_a_changed_input() {
        let original = call("write_file", &json!({ "path": "a", "content": "x" }));
        let view = ToolView::own(&original, Path::new("/p"));
        let changed = json!({ "file_path": "/p/b", "content": "y" });
        let arguments = view.arguments(&original, &changed, Path::new("/p")).unwrap();
        assert_eq!(arguments.to_value(), json!({ "path": "b", "content": "y" }));
        let original = call("run_command", &json!({ "argv": ["rm", "x"] }));
        let view = ToolView::own(&original, Path::new("/p"));
        let changed = json!({ "command": "ls", "argv": ["rm", "x"] });
        let arguments = view.arguments(&original, &changed, Path::new("/p")).unwrap();
        assert_eq!(arguments.to_value(), json!({ "command": "ls" }));
    }
}
