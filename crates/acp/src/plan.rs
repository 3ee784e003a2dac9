//! Calls that write the to-do list, as a plan.

use serde_json::{Value, json};

/// Returns the update `plan` of a call, if its tool writes the to-do list.
pub(crate) fn from_call(tool: &str, arguments: &Value) -> Option<Value> {
    let entries = match tool {
        "update_todo_list" => match arguments.get("todos")? {
            Value::String(list) => list.lines().filter_map(from_line).collect(),
            list => from_list(list, "text", "state"),
        },
        "update_plan" => from_list(arguments.get("plan")?, "step", "status"),
        _ => return None,
    };
    Some(json!({"sessionUpdate": "plan", "entries": entries}))
}

fn from_list(list: &Value, text: &str, state: &str) -> Vec<Value> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let entries = items.iter().filter_map(|item| {
        let content = item.get(text)?.as_str()?;
        Some(entry(content, item.get(state).and_then(Value::as_str).unwrap_or("pending")))
    });
    entries.collect()
}

/// Parses a line of a Markdown checklist.
fn from_line(line: &str) -> Option<Value> {
    let item = line.trim_start().trim_start_matches(['-', '*', ' ']);
    let (mark, text) = item.strip_prefix('[')?.split_once(']')?;
    let status = match mark {
        "x" | "X" => "completed",
        "-" | "~" => "in_progress",
        _ => "pending",
    };
    Some(entry(text.trim(), status))
}

fn entry(content: &str, status: &str) -> Value {
    let status = if matches!(status, "in_progress" | "completed") { status } else { "pending" };
    json!({"content": content, "priority": "medium", "status": status})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::from_call;

    #[test]
    fn every_form_of_the_list_is_a_plan() {
        let list =
            json!({"todos": [{"text": "a", "state": "completed"}, {"text": "b", "state": "in_progress"}]});
        let text = json!({"todos": "- [x] a\n- [-] b\nnot an item"});
        let plan =
            json!({"plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "in_progress"}]});
        let expected = json!({"sessionUpdate": "plan", "entries": [
            {"content": "a", "priority": "medium", "status": "completed"},
            {"content": "b", "priority": "medium", "status": "in_progress"},
        ]});
        assert_eq!(from_call("update_todo_list", &list), Some(expected.clone()));
        assert_eq!(from_call("update_todo_list", &text), Some(expected.clone()));
        assert_eq!(from_call("update_plan", &plan), Some(expected));
        assert_eq!(from_call("read_file", &list), None);
    }
}
