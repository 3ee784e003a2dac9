//! A notebook's cells and the text of their outputs, in order.

use std::fmt::Write;

use serde_json::Value;

/// Longer notebooks are shown as the JSON that they are: read as values they would take too much memory.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// How much of one output is shown.
const MAX_OUTPUT_LINES: usize = 200;

/// The text of a notebook; nothing if it is none.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let notebook: Value = serde_json::from_slice(bytes).ok()?;
    let mut text = String::new();
    for (position, cell) in notebook.get("cells")?.as_array()?.iter().enumerate() {
        let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("unknown");
        let run = cell.get("execution_count").and_then(Value::as_u64);
        let run = run.map(|run| format!(", run {run}")).unwrap_or_default();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "[cell {}: {kind}{run}]", position + 1);
        push(&mut text, &joined(cell.get("source")));
        for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
            push_output(&mut text, output);
        }
    }
    Some(text)
}

fn push_output(text: &mut String, output: &Value) {
    let word = |name: &str| output.get(name).and_then(Value::as_str);
    match word("output_type") {
        Some("stream") => {
            push_cut(text, word("name").unwrap_or("stream"), &joined(output.get("text")));
        }
        Some("error") => {
            let lines = joined_lines(output.get("traceback"));
            let head = format!("{}: {}", word("ename").unwrap_or("error"), word("evalue").unwrap_or(""));
            push_cut(text, "error", &format!("{head}\n{}", without_escapes(&lines)));
        }
        _ => {
            for (media_type, data) in output.get("data").and_then(Value::as_object).into_iter().flatten() {
                match media_type.as_str() {
                    "text/plain" | "text/markdown" => push_cut(text, media_type, &joined(Some(data))),
                    _ => {
                        let len = joined(Some(data)).len();
                        let _ = writeln!(text, "[output {media_type}: {len} bytes, not shown]");
                    }
                }
            }
        }
    }
}

fn push_cut(text: &mut String, what: &str, output: &str) {
    let total = output.lines().count();
    let _ = match total {
        0..=MAX_OUTPUT_LINES => writeln!(text, "[output {what}]"),
        _ => writeln!(text, "[output {what}: {MAX_OUTPUT_LINES} of {total} lines shown]"),
    };
    output.lines().take(MAX_OUTPUT_LINES).for_each(|line| push(text, line));
}

fn push(text: &mut String, lines: &str) {
    text.push_str(lines);
    if !lines.is_empty() && !lines.ends_with('\n') {
        text.push('\n');
    }
}

/// A text that the format keeps as one string or as its lines.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn joined_lines(value: Option<&Value>) -> String {
    let lines = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// Without the sequences that colour a terminal.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            plain.push(letter);
            continue;
        }
        if letters.as_str().starts_with('[') {
            letters.next();
            let _ = letters.by_ref().find(|letter| ('@'..='~').contains(letter));
        }
    }
    plain
}

#[cfg(test)]
mod tests;
