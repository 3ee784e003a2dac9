//! Pages and searches of an output. Reads from the source in blocks, never as a whole.

use std::fmt::Write as _;
use std::io::{self, Read, Seek, SeekFrom};

use regex::bytes::{Regex, RegexBuilder};
use windlass_tool::ToolError;

/// Maximum size of a page in bytes.
pub(crate) const PAGE_BYTES: usize = 30_000;
/// Size of a block for searching, in bytes. A longer line is searched in parts.
const BLOCK_BYTES: usize = 1024 * 1024;
/// Maximum number of characters of a matching line that are shown.
const LINE_CHARS: usize = 400;
/// Maximum number of matching lines that are shown.
const MOST_LINES: u64 = 500;

/// The part of an output that a call requests.
#[derive(Debug, Default)]
pub(crate) struct RequestedPart {
    pub(crate) offset: Option<u64>,
    pub(crate) limit: Option<usize>,
    pub(crate) tail: Option<u64>,
    pub(crate) search: Option<String>,
}

/// Reads the requested part. Returns a line about it, and its text.
pub(crate) fn read(
    source: &mut (impl Read + Seek),
    len: u64,
    wanted: &RequestedPart,
) -> Result<(String, String), ToolError> {
    let page = match &wanted.search {
        Some(pattern) => return search(source, len, wanted, pattern),
        None => bounds(source, len, wanted).and_then(|start| page(source, start, len, wanted)),
    };
    page.map_err(|error| ToolError::model(format!("the output could not be read: {error}")))
}

/// Returns the offset at which the page begins.
fn bounds(source: &mut (impl Read + Seek), len: u64, wanted: &RequestedPart) -> io::Result<u64> {
    let Some(lines) = wanted.tail else { return Ok(wanted.offset.unwrap_or(0).min(len)) };
    let start = len.saturating_sub(byte_limit(wanted) as u64);
    let bytes = block(source, start, len)?;
    // A line feed at the very end ends the last line and does not begin another one.
    let last = bytes.len().saturating_sub(1);
    let ends = memchr::memrchr_iter(b'\n', bytes.get(..last).unwrap_or_default());
    let nth = usize::try_from(lines.max(1)).unwrap_or(usize::MAX).saturating_sub(1);
    let at = ends.into_iter().nth(nth).map_or(0, |at| at.saturating_add(1));
    Ok(start.saturating_add(at as u64))
}

fn byte_limit(wanted: &RequestedPart) -> usize {
    wanted.limit.unwrap_or(PAGE_BYTES).clamp(1, PAGE_BYTES)
}

fn page(
    source: &mut (impl Read + Seek),
    start: u64,
    len: u64,
    wanted: &RequestedPart,
) -> io::Result<(String, String)> {
    let most = byte_limit(wanted) as u64;
    let bytes = block(source, start, len.min(start.saturating_add(most)))?;
    let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    // An offset inside a character moves to the end of this character. Bytes that are not UTF-8 are shown in
    // any case.
    let skipped = bytes.iter().take(3).take_while(is_inside).count();
    let skipped = if skipped < bytes.len() { skipped } else { 0 };
    let bytes = bytes.get(skipped..).unwrap_or_default();
    let start = start.saturating_add(skipped as u64);
    let is_last = start.saturating_add(bytes.len() as u64) >= len;
    let kept = if is_last { bytes.len() } else { end_of(bytes) };
    let bytes = bytes.get(..kept).unwrap_or_default();
    let end = start.saturating_add(kept as u64);
    let more =
        if end < len { format!("; read on with \"offset\": {end}") } else { "; this is its end".to_owned() };
    let line = format!("[bytes {start} to {end} of {len}{more}]");
    Ok((line, String::from_utf8_lossy(bytes).into_owned()))
}

/// Returns the best end of a page: after a line, or else after a character.
fn end_of(bytes: &[u8]) -> usize {
    if let Some(at) = memchr::memrchr(b'\n', bytes) {
        return at.saturating_add(1);
    }
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        _ => bytes.len(),
    }
}

fn block(source: &mut (impl Read + Seek), start: u64, end: u64) -> io::Result<Vec<u8>> {
    source.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    source.take(end.saturating_sub(start)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Maximum length of a search pattern in bytes.
const MAX_PATTERN_BYTES: usize = 16 * 1024;

fn compile_pattern(pattern: &str) -> (Regex, &'static str) {
    if pattern.len() > MAX_PATTERN_BYTES {
        return unfindable();
    }
    // The search time is linear in the text for every pattern, and the size of the compiled pattern is
    // limited.
    let build = |pattern: &str| {
        RegexBuilder::new(pattern).multi_line(true).case_insensitive(true).size_limit(1 << 20).build()
    };
    match build(pattern) {
        Ok(regex) => (regex, ""),
        Err(_) => match build(&regex::escape(pattern)) {
            Ok(regex) => (regex, ", searched as plain text because it is not a regular expression"),
            Err(_) => unfindable(),
        },
    }
}

/// Returns a pattern that matches no line, in place of a pattern that is too long.
fn unfindable() -> (Regex, &'static str) {
    (Regex::new("$^").expect("an empty pattern is one"), ", which is too long to search for")
}

/// The state of a search.
struct SearchState {
    regex: Regex,
    body: String,
    room: usize,
    matched: u64,
    shown: u64,
    /// The number of complete lines.
    lines: u64,
    /// Set if bytes follow the last line feed.
    is_open: bool,
    /// The offset of the first matching line that is not shown.
    next: Option<u64>,
}

fn search(
    source: &mut (impl Read + Seek),
    len: u64,
    wanted: &RequestedPart,
    pattern: &str,
) -> Result<(String, String), ToolError> {
    let (regex, note) = compile_pattern(pattern);
    let room = byte_limit(wanted);
    let mut found = SearchState {
        regex,
        body: String::new(),
        room,
        matched: 0,
        shown: 0,
        lines: 0,
        is_open: false,
        next: None,
    };
    let start = wanted.offset.unwrap_or(0).min(len);
    let failed = |error: io::Error| ToolError::model(format!("the output could not be read: {error}"));
    source.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut source = source.take(len.saturating_sub(start));
    let (mut buf, mut base) = (Vec::with_capacity(2 * BLOCK_BYTES), start);
    loop {
        let had = buf.len();
        let read = (&mut source).take(BLOCK_BYTES as u64).read_to_end(&mut buf).map_err(failed)?;
        let whole = match memchr::memrchr(b'\n', buf.get(had..).unwrap_or_default()) {
            _ if read == 0 => buf.len(),
            Some(at) => had.saturating_add(at).saturating_add(1),
            None if buf.len() >= BLOCK_BYTES => buf.len(),
            None => continue,
        };
        found.look(buf.get(..whole).unwrap_or_default(), base);
        base = base.saturating_add(whole as u64);
        buf.drain(..whole);
        if read == 0 {
            break;
        }
    }
    let lines = found.lines.saturating_add(u64::from(found.is_open));
    let SearchState { body, matched, shown, next, .. } = found;
    let from = if start > 0 { format!(" from byte {start} on") } else { String::new() };
    let more =
        next.map_or(String::new(), |next| format!("; {shown} are shown, see more with \"offset\": {next}"));
    let line = format!(
        "[{matched} of {lines} lines{from} match `{pattern}`{note}{more}; before each line is its offset; {len} bytes in all]"
    );
    Ok((line, body))
}

impl SearchState {
    /// Searches a block of whole lines.
    fn look(&mut self, bytes: &[u8], base: u64) {
        let ended = memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.lines = self.lines.saturating_add(ended);
        if let Some(last) = bytes.last() {
            self.is_open = *last != b'\n';
        }
        let mut at = 0;
        while at < bytes.len() {
            let Some(met) = self.regex.find_at(bytes, at) else { return };
            if met.start() >= bytes.len() {
                return;
            }
            let before = bytes.get(..met.start()).unwrap_or_default();
            let start = memchr::memrchr(b'\n', before).map_or(0, |at| at.saturating_add(1));
            let rest = bytes.get(met.start()..).unwrap_or_default();
            let end = memchr::memchr(b'\n', rest).map_or(bytes.len(), |at| met.start().saturating_add(at));
            self.show(bytes.get(start..end).unwrap_or_default(), base.saturating_add(start as u64));
            at = end.saturating_add(1);
        }
    }

    fn show(&mut self, line: &[u8], at: u64) {
        self.matched = self.matched.saturating_add(1);
        if self.next.is_some() {
            return;
        }
        if self.shown >= MOST_LINES || self.body.len() >= self.room {
            self.next = Some(at);
            return;
        }
        self.shown = self.shown.saturating_add(1);
        let text = String::from_utf8_lossy(line.get(..LINE_CHARS * 4).unwrap_or(line));
        let text = text.trim_end_matches('\r');
        // Writing to a string cannot fail.
        let _ = match text.char_indices().nth(LINE_CHARS) {
            Some((end, _)) => {
                let shown = text.get(..end).unwrap_or_default();
                writeln!(self.body, "{at}: {shown} [line cut: {} bytes]", line.len())
            }
            None => writeln!(self.body, "{at}: {text}"),
        };
    }
}

#[cfg(test)]
mod tests;
