//! Pieces of a file for the index: its chunks, with names and text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::chunk::{Chunk, chunks};
use super::index::Piece;
use super::rough::rough;
use crate::language::Language;
use crate::outline::{Gap, Outline, outline_in};
use crate::place::Source;

/// Maximum size of a file that is parsed with its grammar, in bytes. Longer files are outlined by the first
/// words of their lines.
const MAX_PARSED_BYTES: usize = 64 * 1024;

/// Returns the chunks of a file, or `None` if the call was cancelled. If parsing panics or takes too long, the
/// file is outlined by the first words of its lines.
pub(super) fn pieces(source: &Source, stopped: &dyn Fn() -> bool) -> Option<Vec<Piece>> {
    let language = Language::detect(source.path.relative(), &source.bytes).map(|(language, _)| language);
    let text = String::from_utf8_lossy(&source.bytes);
    let parse = || outline_in(language, &source.bytes, stopped);
    let outline = outline_or_rough(language, &text, stopped, parse)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let piece = |chunk: Chunk<'_>| {
        let mut piece = Piece {
            first: chunk.first,
            last: chunk.last,
            language: language.map(|language| language.name),
            body: lines.get(chunk.first.saturating_sub(1)..chunk.last).unwrap_or_default().concat(),
            ..Piece::default()
        };
        if let Some(symbol) = chunk.symbol {
            let name = symbol.full_name();
            let more = match chunk.also.len() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            piece.label = format!("{} {name}{more}", symbol.kind.word());
            piece.titles.push(name);
            piece.titles.extend(chunk.also.iter().map(|symbol| symbol.full_name()));
        }
        piece
    };
    Some(chunks(&outline, lines.len()).into_iter().map(piece).collect())
}

/// Returns the parsed outline, or the rough outline if the file is long, or parsing panics or takes too long.
/// Returns `None` if the call was cancelled.
fn outline_or_rough(
    language: Option<&'static Language>,
    text: &str,
    stopped: &dyn Fn() -> bool,
    parse: impl FnOnce() -> Outline,
) -> Option<Outline> {
    let rough = || language.map(|language| rough(language, text)).unwrap_or_default();
    if language.is_some() && text.len() > MAX_PARSED_BYTES {
        return Some(rough());
    }
    // A panic on one file must not prevent searches of the others. The parser shares no state that a panic
    // could corrupt.
    let parsed = catch_unwind(AssertUnwindSafe(parse)).ok();
    if stopped() {
        return None;
    }
    Some(parsed.filter(|outline| outline.gap != Some(Gap::Stopped)).unwrap_or_else(rough))
}

#[cfg(test)]
mod tests;
