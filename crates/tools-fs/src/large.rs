//! Pages of files that are too long to be loaded: one pass over the lines, which keeps only the page.

use std::borrow::Cow;
use std::fmt::Write;
use std::io::{BufRead, BufReader};

use windlass_redact::Redactor;
use windlass_sandbox::FileStream;
use windlass_tool::ToolError;

use crate::page::MAX_LINE_CHARS;
use crate::view::ViewRequest;

const BUFFER_BYTES: usize = 64 * 1024;
/// Maximum offset of a page in a file, in bytes.
const MAX_LOOKED_BYTES: u64 = 256 * 1024 * 1024;
/// The first [`MAX_LINE_CHARS`] characters of a line have at most this many bytes.
const MAX_LINE_BYTES: usize = MAX_LINE_CHARS * 4;

/// State of the pass: the lines of the page so far, and the current line.
struct Pager<'p> {
    path: &'p str,
    redactor: &'p Redactor,
    first: u64,
    limit: u64,
    room: usize,
    body: String,
    /// Number of the current line, from 1. `start` holds its first bytes and `chars` counts its characters.
    number: u64,
    start: Vec<u8>,
    chars: u64,
    is_open: bool,
}

pub(crate) fn page(
    path: &str,
    stream: FileStream,
    (first, limit): (u64, u64),
    asked: ViewRequest<'_>,
) -> Result<String, ToolError> {
    let (redactor, room) = (asked.redactor, asked.room);
    let len = stream.len();
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, stream);
    check_text(path, reader.fill_buf()?, len)?;
    let (body, start) = (String::new(), Vec::new());
    let mut pager =
        Pager { path, redactor, first, limit, room, body, number: 1, start, chars: 0, is_open: false };
    let mut looked: u64 = 0;
    let mut is_end = false;
    while !pager.is_full() && looked < MAX_LOOKED_BYTES {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            is_end = true;
            break;
        }
        let taken = pager.push(bytes)?;
        looked = looked.saturating_add(taken as u64);
        reader.consume(taken);
    }
    if pager.is_open && !pager.is_full() {
        pager.end_line(is_end)?;
    }
    pager.words(len, is_end)
}

/// Refuses a file whose first bytes are UTF-16 or binary.
fn check_text(path: &str, start: &[u8], len: u64) -> Result<(), ToolError> {
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        return Err(ToolError::model(format!("`{path}` is UTF-16 text of {len} bytes, too long to be held"))
            .with_advice("Convert it with a command first."));
    }
    if start.iter().take(8_192).any(|byte| *byte == 0) {
        return Err(ToolError::model(format!("`{path}` is a binary file of {len} bytes and is not shown"))
            .with_advice("Use a command that understands its format."));
    }
    Ok(())
}

impl Pager<'_> {
    /// Consumes bytes up to the end of a line and returns their number.
    fn push(&mut self, bytes: &[u8]) -> Result<usize, ToolError> {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = end.map_or(bytes, |end| bytes.get(..end).unwrap_or_default());
        if self.number >= self.first {
            let room = MAX_LINE_BYTES.saturating_sub(self.start.len());
            self.start.extend_from_slice(part.get(..room).unwrap_or(part));
            // Counts the bytes that are not UTF-8 continuation bytes, one per character.
            let begun = part.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
            self.chars = self.chars.saturating_add(begun as u64);
        }
        self.is_open = true;
        if end.is_some() {
            self.end_line(true)?;
            self.number = self.number.saturating_add(1);
        }
        Ok(part.len().saturating_add(usize::from(end.is_some())))
    }

    fn end_line(&mut self, is_whole: bool) -> Result<(), ToolError> {
        self.is_open = false;
        let start = std::mem::take(&mut self.start);
        let chars = std::mem::take(&mut self.chars);
        if self.number < self.first {
            return Ok(());
        }
        let text = match std::str::from_utf8(&start) {
            Ok(text) => text,
            // The length limit cut a character.
            Err(error) if error.error_len().is_none() && start.len() == MAX_LINE_BYTES => {
                let whole = start.get(..error.valid_up_to()).unwrap_or_default();
                std::str::from_utf8(whole).unwrap_or_default()
            }
            Err(_) => {
                let (path, number) = (self.path, self.number);
                return Err(ToolError::model(format!("`{path}` is not UTF-8 text (line {number})"))
                    .with_advice("Convert it with a command first."));
            }
        };
        let text = if self.number == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let text = text.strip_suffix('\r').unwrap_or(text);
        // Redact before cutting, because half a secret is not found. If the line is incomplete, also drop an
        // end that may be the start of a secret: redaction may have shortened the line so far that this end
        // would be shown.
        let text = if is_whole && start.len() < MAX_LINE_BYTES {
            self.redactor.redact(text)
        } else {
            let clean = self.redactor.stream().push(text.as_bytes());
            Cow::Owned(String::from_utf8_lossy(&clean).into_owned())
        };
        let number = self.number;
        let is_short = start.len() < MAX_LINE_BYTES;
        // Writing into a string cannot fail.
        let _ = match text.char_indices().nth(MAX_LINE_CHARS) {
            None if is_whole && is_short => writeln!(self.body, "{number:>6}\t{text}"),
            cut => {
                let shown = cut.and_then(|(end, _)| text.get(..end)).unwrap_or(&text);
                let least = if is_whole { "" } else { "at least " };
                let count = MAX_LINE_CHARS;
                writeln!(
                    self.body,
                    "{number:>6}\t{shown} [line cut: {count} of {least}{chars} characters shown]"
                )
            }
        };
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.number >= self.first.saturating_add(self.limit) || self.body.len() > self.room
    }

    fn words(self, len: u64, is_end: bool) -> Result<String, ToolError> {
        let (path, first) = (self.path, self.first);
        if self.body.is_empty() {
            let where_to = if is_end {
                format!("it has fewer than {first} lines")
            } else {
                format!("line {first} lies behind its first {MAX_LOOKED_BYTES} bytes")
            };
            return Err(ToolError::model(format!("`{path}` has {len} bytes and {where_to}"))
                .with_advice("Find places in it with grep_file."));
        }
        let last = self.body.lines().count() as u64 + first - 1;
        let more = if is_end { String::new() } else { format!("; read on with offset {}", last + 1) };
        Ok(format!("[{path}: lines {first}-{last} of a file of {len} bytes{more}]\n{}", self.body))
    }
}
