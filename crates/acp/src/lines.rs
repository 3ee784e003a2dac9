//! A reader of lines with a limit.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// Largest line in bytes. A prompt with embedded files is one line.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// Line of the client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    /// The line is longer than the limit. Its bytes were dropped.
    TooLong,
}

/// Reads the next line without its end; `None` at the end of the input. A last line without an end counts. Not
/// cancel-safe.
pub(crate) async fn next_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    limit: usize,
) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let (mut is_too_long, mut has_begun) = (false, false);
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(has_begun.then(|| finish(line, is_too_long)));
        }
        has_begun = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let piece = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
        if line.len().saturating_add(piece.len()) > limit {
            is_too_long = true;
            line = Vec::new();
        }
        if !is_too_long {
            line.extend_from_slice(piece);
        }
        let used = piece.len().saturating_add(usize::from(end.is_some()));
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(finish(line, is_too_long)));
        }
    }
}

fn finish(mut line: Vec<u8>, is_too_long: bool) -> Line {
    if is_too_long {
        return Line::TooLong;
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Line::Whole(line)
}

#[cfg(test)]
mod tests;
