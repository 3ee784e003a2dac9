//! Lists of sources for the model.

use std::fmt::Write as _;

use crate::tavily::FoundSource;

/// Returns a numbered list. Texts of sources are indented, so that they cannot forge an entry.
pub(crate) fn list(found: &[FoundSource]) -> String {
    let mut text = String::new();
    for (source, number) in found.iter().zip(1_usize..) {
        let title = if source.title.is_empty() { "(without a title)" } else { &source.title };
        let date = source.date.as_ref().map(|date| format!(" ({date})")).unwrap_or_default();
        let _ = write!(text, "{number}. {title}{date}\n   {}\n", source.url);
        for line in source.text.lines() {
            // A carriage return would overwrite the indent on a terminal.
            let line = line.trim_end().replace('\r', " ");
            let _ = if line.is_empty() { writeln!(text) } else { writeln!(text, "   {line}") };
        }
    }
    text
}
