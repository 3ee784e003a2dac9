//! Text of Jupyter notebooks: cells and their text outputs, in order.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Maximum size of a notebook, in bytes; larger ones are shown as JSON.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Maximum lines shown of one output, and maximum size of a text field, in bytes.
const MAX_OUTPUT_LINES: usize = 200;
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

// Fields that are not shown stay raw, so that a hostile file needs little more memory than its bytes.
#[derive(Deserialize)]
struct Notebook<'n> {
    #[serde(borrow)]
    cells: Vec<&'n RawValue>,
}

/// Fields of an object, each parsed separately, so that an invalid one does not affect the others.
type Members<'n> = BTreeMap<String, &'n RawValue>;

fn members(raw: &RawValue) -> Option<Members<'_>> {
    serde_json::from_str(raw.get()).ok()
}

/// A string in which lone surrogates, which Python can write, are replaced.
struct Lossy(String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Lossy;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Lossy, E> {
                Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Lossy, E> {
                Ok(Lossy(text.to_owned()))
            }
        }
        // serde_json passes strings with lone surrogates as bytes; a `String` would be an error.
        deserializer.deserialize_bytes(Bytes)
    }
}

/// Parses a string field, such as a kind or a name.
fn word(value: Option<&&RawValue>) -> Option<String> {
    serde_json::from_str(value?.get()).ok().map(|Lossy(text)| text)
}

/// Returns the text of a notebook, or `None` if the file is not a valid notebook.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let notebook: Notebook<'_> = serde_json::from_slice(bytes).ok()?;
    let mut text = String::new();
    for (position, cell) in notebook.cells.into_iter().enumerate() {
        let members = members(cell);
        let member = |name: &str| members.as_ref().and_then(|members| members.get(name));
        let run = member("execution_count").and_then(|count| count.get().parse::<u64>().ok());
        let run = run.map(|run| format!(", run {run}")).unwrap_or_default();
        let kind = word(member("cell_type")).unwrap_or_else(|| "unknown".to_owned());
        // Writing into a string cannot fail.
        let _ = writeln!(text, "[cell {}: {kind}{run}]", position + 1);
        push(&mut text, &lines(member("source").copied()).concat());
        let outputs = member("outputs").map(|raw| (serde_json::from_str::<Vec<&RawValue>>(raw.get()), *raw));
        match outputs {
            Some((Ok(outputs), _)) => outputs.into_iter().for_each(|output| push_output(&mut text, output)),
            Some((Err(_), raw)) if raw.get() != "null" => {
                push_cut(&mut text, "of another shape", &lines(Some(raw)).concat());
            }
            _ => {}
        }
    }
    Some(text)
}

fn push_output(text: &mut String, raw: &RawValue) {
    let Some(output) = members(raw) else { return };
    let member = |name: &str| output.get(name);
    let all = |name: &str| lines(member(name).copied());
    match word(member("output_type")).as_deref() {
        Some("stream") => {
            let name = word(member("name")).unwrap_or_else(|| "stream".to_owned());
            push_cut(text, &name, &all("text").concat());
        }
        Some("error") => {
            let name = word(member("ename")).unwrap_or_else(|| "error".to_owned());
            let why = word(member("evalue")).unwrap_or_default();
            let trace = strip_escapes(&all("traceback").join("\n"));
            push_cut(text, "error", &format!("{name}: {why}\n{trace}"));
        }
        _ => {
            let data = member("data").and_then(|data| members(data));
            if data.is_none() {
                push_cut(text, "of another shape", &lines(Some(raw)).concat());
            }
            for (media_type, data) in data.unwrap_or_default() {
                match media_type.as_str() {
                    "text/plain" | "text/markdown" => {
                        push_cut(text, &media_type, &lines(Some(data)).concat());
                    }
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

/// Returns the lines of a text field, which is a string or a list of strings. A value of another type becomes
/// JSON text.
fn lines(value: Option<&RawValue>) -> Vec<String> {
    let Some(raw) = value.map(RawValue::get) else { return Vec::new() };
    if raw.len() > MAX_TEXT_BYTES {
        return vec![format!("[a text of {} bytes, not shown]\n", raw.len())];
    }
    let one = |raw: &str| serde_json::from_str(raw).map_or_else(|_| raw.to_owned(), |Lossy(text)| text);
    match serde_json::from_str::<Vec<&RawValue>>(raw) {
        Ok(lines) => lines.into_iter().map(|line| one(line.get())).collect(),
        Err(_) if raw == "null" => Vec::new(),
        Err(_) => vec![one(raw)],
    }
}

/// Removes terminal escape sequences.
fn strip_escapes(text: &str) -> String {
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
