//! Numbered lines of a text, up to a maximum size.

use std::fmt::Write;
use std::str::SplitInclusive;

use windlass_redact::{RedactStream, Redactor};
use windlass_tool::ToolError;

pub(crate) const MAX_LINE_CHARS: usize = 2_000;
/// Maximum size of a page, in bytes: about 15,000 tokens.
pub(crate) const MAX_PAGE_BYTES: usize = 60_000;
/// Maximum size that a line counts toward a page, because longer lines are cut.
const LINE_BYTES: usize = 8_000;

/// Maximum size of a secret in any encoding, in bytes, line breaks included.
const SECRET_BYTES: usize = 64 * 1024;

/// First and last line, counted from 1.
pub(crate) type Span = (u64, u64);

/// Input of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'p> {
    /// Name of the file in the header of the page.
    pub(crate) name: &'p str,
    pub(crate) text: &'p str,
    /// Further text for the header.
    pub(crate) note: &'p str,
    pub(crate) redactor: &'p Redactor,
    pub(crate) room: usize,
}

impl Page<'_> {
    /// Returns the number of lines.
    pub(crate) fn total(&self) -> u64 {
        self.text.lines().count() as u64
    }

    /// Returns the lines of the spans, in file order. Overlapping and adjacent spans are merged.
    pub(crate) fn render(&self, spans: &[Span]) -> Result<String, ToolError> {
        let (name, total) = (self.name, self.total());
        if self.text.is_empty() {
            return Ok(format!("[{name} is empty]"));
        }
        if spans.iter().any(|(first, _)| *first > total) {
            return Err(ToolError::model(format!(
                "`{name}` has {total} lines, and the offset is behind them"
            ))
            .with_advice(format!("Give an offset from 1 to {total}.")));
        }
        let spans = merge_spans(spans, total);
        let (body, shown) = self.body(&spans);
        let last = shown.last().map_or(0, |(_, last)| *last);
        let is_whole = shown.last() == spans.last();
        let more = match spans.as_slice() {
            [_] if last < total => format!("; read on with offset {}", last + 1),
            [_] => String::new(),
            _ if is_whole => String::new(),
            _ => format!("; no room for more, read on with offset {}", last + 1),
        };
        let ranges: Vec<String> = shown.iter().map(|(first, last)| format!("{first}-{last}")).collect();
        Ok(format!("[{name}: lines {} of {total}{}{more}]\n{body}", ranges.join(", "), self.note))
    }

    /// Returns the lines that fit, and their spans.
    fn body(&self, spans: &[Span]) -> (String, Vec<Span>) {
        let mut body = String::new();
        let mut shown: Vec<Span> = Vec::new();
        for &(first, last) in spans {
            let mut span = None;
            for (number, line) in self.clean_lines(first).take_while(|(number, _)| *number <= last) {
                if number < first {
                    continue;
                }
                let len = body.len().saturating_add(line.len().min(LINE_BYTES));
                if !body.is_empty() && len > self.room {
                    shown.extend(span);
                    return (body, shown);
                }
                if span.is_none() && !shown.is_empty() {
                    body.push_str("     \u{2026}\n");
                }
                span = Some((first, number));
                write_line(&mut body, number, &line);
            }
            shown.extend(span);
        }
        (body, shown)
    }

    /// Returns numbered lines without secrets. Starts some lines before `first`, because a secret may span
    /// several lines. Redaction precedes the cutting of lines, because half a secret is not found.
    fn clean_lines(&self, first: u64) -> impl Iterator<Item = (u64, String)> {
        let count = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
        let before: usize = self.text.split_inclusive('\n').take(count).map(str::len).sum();
        let start = self.text.floor_char_boundary(before.saturating_sub(SECRET_BYTES));
        let start = self.text.get(..start).and_then(|text| text.rfind('\n')).map_or(0, |end| end + 1);
        let (skipped, text) = self.text.split_at_checked(start).unwrap_or_default();
        let number = skipped.lines().count() as u64 + 1;
        (number..).zip(CleanLines {
            lines: text.split_inclusive('\n'),
            stream: self.redactor.stream_lines(),
            ready: Vec::new(),
            is_over: false,
        })
    }
}

/// Iterator over the redacted lines of a text.
struct CleanLines<'t> {
    lines: SplitInclusive<'t, char>,
    /// Stream that keeps all line breaks.
    stream: RedactStream,
    /// Redacted text that was not returned yet.
    ready: Vec<u8>,
    is_over: bool,
}

impl Iterator for CleanLines<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let end = loop {
            if let Some(end) = self.ready.iter().position(|byte| *byte == b'\n') {
                break end + 1;
            }
            match self.lines.next() {
                Some(line) => self.ready.extend(self.stream.push(line.as_bytes())),
                None if self.is_over => break self.ready.len(),
                None => {
                    self.is_over = true;
                    self.ready.extend(self.stream.finish());
                }
            }
        };
        if end == 0 {
            return None;
        }
        let line: Vec<u8> = self.ready.drain(..end).collect();
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_suffix('\n').unwrap_or(&line);
        Some(line.strip_suffix('\r').unwrap_or(line).to_owned())
    }
}

/// Sorts the spans, cuts them at the end of the file, and merges overlapping and adjacent ones.
fn merge_spans(spans: &[Span], total: u64) -> Vec<Span> {
    let mut sorted: Vec<Span> = spans.iter().map(|(first, last)| (*first, (*last).min(total))).collect();
    sorted.sort_unstable();
    let mut merged: Vec<Span> = Vec::new();
    for (first, last) in sorted {
        match merged.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
            _ => merged.push((first, last)),
        }
    }
    merged
}

fn write_line(body: &mut String, number: u64, line: &str) {
    // Writing into a string cannot fail.
    let _ = match line.char_indices().nth(MAX_LINE_CHARS) {
        None => writeln!(body, "{number:>6}\t{line}"),
        Some((end, _)) => {
            let (shown, count) = (line.get(..end).unwrap_or(line), line.chars().count());
            writeln!(body, "{number:>6}\t{shown} [line cut: {MAX_LINE_CHARS} of {count} characters shown]")
        }
    };
}

/// Parses a span as a model writes it: `10-20`, `10-` or `10`.
pub(crate) fn span(text: &str) -> Result<Span, ToolError> {
    let wrong = || {
        ToolError::model(format!("`{text}` is not a line range")).with_advice("Write it as 10-20, 10- or 10.")
    };
    let number = |digits: &str| digits.trim().parse::<u64>().ok().filter(|line| *line > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first = number(first).ok_or_else(wrong)?;
    let last = if last.trim().is_empty() { u64::MAX } else { number(last).ok_or_else(wrong)? };
    if first > last { Err(wrong()) } else { Ok((first, last)) }
}
