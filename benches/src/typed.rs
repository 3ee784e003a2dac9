//! Typed and untyped partial arguments, on W1 and W2.

use std::hint::black_box;

use windlass_partial_json::{Event, Node, Parser};
use windlass_tool_args::{PartialReader, ToolArgs};

/// The arguments of W1.
#[derive(Debug, ToolArgs)]
#[non_exhaustive]
pub struct WriteFile {
    /// The file.
    pub path: String,
    /// Its whole content.
    pub content: String,
}

/// The arguments of W2.
#[derive(Debug, ToolArgs)]
#[non_exhaustive]
pub struct EditFile {
    /// The edits.
    pub edits: Vec<Edit>,
}

/// A part of the arguments of W2.
#[derive(Debug, ToolArgs)]
#[non_exhaustive]
pub struct Edit {
    /// A number of five digits.
    pub line: u32,
    /// A number of three digits.
    pub column: u32,
    /// A decimal number.
    pub score: f64,
    /// A number with an exponent.
    pub weight: f64,
    /// A boolean.
    pub applied: bool,
    /// Always null.
    pub note: Option<String>,
    /// The replaced text, of two words.
    pub old: String,
    /// The new text, of two words.
    pub new: String,
}

/// Pushes all deltas, and after each reads the length of the member `name`.
///
/// # Panics
/// The deltas are not JSON.
pub fn view(deltas: &[&str], name: &str) -> usize {
    let mut parser = Parser::new();
    let mut seen = 0_usize;
    for delta in deltas {
        parser.push(black_box(delta)).expect("the workload is JSON");
        let member = parser.snapshot().get(name);
        let length = member.map_or(0, |member| member.as_str().map_or(member.len(), str::len));
        seen = seen.wrapping_add(black_box(length));
    }
    seen
}

/// Pushes all deltas, and after each reads the path and the length of each event.
///
/// # Panics
/// The deltas are not JSON.
pub fn events(deltas: &[&str]) -> usize {
    let mut parser = Parser::new();
    let mut seen = 0_usize;
    for delta in deltas {
        parser.push(black_box(delta)).expect("the workload is JSON");
        parser.drain_events(|event| {
            let length = match event {
                Event::Began { path, .. } | Event::Repeated { path } => path.len(),
                Event::Grew { path, text } => path.len().wrapping_add(text.len()),
                Event::Complete { path, value } => {
                    path.len().wrapping_add(value.as_str().or(Node::number_text(value)).map_or(0, str::len))
                }
                _ => 0,
            };
            seen = seen.wrapping_add(black_box(length));
        });
    }
    seen
}

/// Pushes all deltas into a typed partial, and after each reads a length from it.
///
/// # Panics
/// The deltas do not fit the type.
pub fn typed<T: ToolArgs>(deltas: &[&str], length: fn(&T::Growing) -> usize) -> usize {
    let mut reader = PartialReader::<T>::default();
    let mut seen = 0_usize;
    for delta in deltas {
        let partial = reader.push(black_box(delta));
        seen = seen.wrapping_add(black_box(length(partial)));
    }
    assert!(reader.mismatches().is_empty(), "the workload fits its type");
    seen
}

/// Returns the available length of W1's content.
pub fn content_length(partial: &PartialWriteFile) -> usize {
    partial.content.as_str().len()
}

/// Returns the available number of W2's edits.
pub fn edit_count(partial: &PartialEditFile) -> usize {
    partial.edits.growing().map_or(0, |edits| edits.len())
}
