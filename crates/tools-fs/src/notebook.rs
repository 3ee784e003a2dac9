//! A notebook's cells and the text of their outputs, in order.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Longer notebooks are shown as the JSON that they are.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// How much of one output is shown, and how long a text may be to be read at all.
const MAX_OUTPUT_LINES: usize = 200;
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

// What is not shown is never read as a value, so that a hostile file takes little more memory than its bytes.
#[derive(Deserialize)]
struct Notebook<'n> {
    #[serde(borrow)]
    cells: Vec<&'n RawValue>,
}

#[derive(Default, Deserialize)]
struct Cell<'n> {
    #[serde(default, rename = "cell_type")]
    kind: Option<String>,
    #[serde(default, borrow)]
    execution_count: Option<&'n RawValue>,
    #[serde(default, borrow)]
    source: Option<&'n RawValue>,
    #[serde(default, borrow)]
    outputs: Vec<&'n RawValue>,
}

#[derive(Default, Deserialize)]
struct Made<'n> {
    #[serde(default)]
    output_type: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, borrow)]
    text: Option<&'n RawValue>,
    #[serde(default)]
    ename: Option<String>,
    #[serde(default)]
    evalue: Option<String>,
    #[serde(default, borrow)]
    traceback: Option<&'n RawValue>,
    #[serde(default, borrow)]
    data: BTreeMap<String, &'n RawValue>,
}

/// The text of a notebook; nothing if it is none.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let notebook: Notebook<'_> = serde_json::from_slice(bytes).ok()?;
    let mut text = String::new();
    for (position, cell) in notebook.cells.into_iter().enumerate() {
        let cell: Cell<'_> = serde_json::from_str(cell.get()).unwrap_or_default();
        let run = cell.execution_count.and_then(|count| count.get().parse::<u64>().ok());
        let run = run.map(|run| format!(", run {run}")).unwrap_or_default();
        let kind = cell.kind.as_deref().unwrap_or("unknown");
        // Writing into a string cannot fail.
        let _ = writeln!(text, "[cell {}: {kind}{run}]", position + 1);
        push(&mut text, &lines(cell.source).concat());
        for output in cell.outputs {
            push_output(&mut text, &serde_json::from_str(output.get()).unwrap_or_default());
        }
    }
    Some(text)
}

fn push_output(text: &mut String, output: &Made<'_>) {
    match output.output_type.as_deref() {
        Some("stream") => {
            push_cut(text, output.name.as_deref().unwrap_or("stream"), &lines(output.text).concat());
        }
        Some("error") => {
            let (name, why) =
                (output.ename.as_deref().unwrap_or("error"), output.evalue.as_deref().unwrap_or(""));
            let trace = without_escapes(&lines(output.traceback).join("\n"));
            push_cut(text, "error", &format!("{name}: {why}\n{trace}"));
        }
        _ => {
            for (media_type, data) in &output.data {
                match media_type.as_str() {
                    "text/plain" | "text/markdown" => push_cut(text, media_type, &lines(Some(data)).concat()),
                    _ => {
                        let len = data.get().len();
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
fn lines(value: Option<&RawValue>) -> Vec<String> {
    let Some(raw) = value.map(RawValue::get) else { return Vec::new() };
    if raw.len() > MAX_TEXT_BYTES {
        return vec![format!("[a text of {} bytes, not shown]\n", raw.len())];
    }
    serde_json::from_str::<Vec<String>>(raw)
        .or_else(|_| serde_json::from_str::<String>(raw).map(|text| vec![text]))
        .unwrap_or_default()
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
