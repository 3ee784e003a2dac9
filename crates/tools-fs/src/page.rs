//! Lines of a text with their numbers, as many as there is room for.

use std::fmt::Write;

use windlass_redact::Redactor;
use windlass_tool::ToolError;

pub(crate) const MAX_LINE_CHARS: usize = 2_000;
/// Where a page ends though lines are left: about 15,000 tokens.
pub(crate) const MAX_PAGE_BYTES: usize = 60_000;
/// So much of a line counts when a page is filled: more of it is not shown.
const LINE_BYTES: usize = 8_000;

/// Lines from the first to the last, counted from 1.
pub(crate) type Span = (u64, u64);

/// What a page is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'p> {
    /// The file, as the page's head names it.
    pub(crate) name: &'p str,
    pub(crate) text: &'p str,
    /// What else the head says.
    pub(crate) note: &'p str,
    pub(crate) redactor: &'p Redactor,
    pub(crate) room: usize,
}

impl Page<'_> {
    /// How many lines there are.
    pub(crate) fn total(&self) -> u64 {
        self.text.lines().count() as u64
    }

    /// The lines of some spans, in their order in the file; spans that meet are one.
    pub(crate) fn of(&self, spans: &[Span]) -> Result<String, ToolError> {
        let (name, total) = (self.name, self.total());
        if self.text.is_empty() {
            return Ok(format!("[{name} is empty]"));
        }
        if spans.iter().any(|(first, _)| *first > total) {
            return Err(ToolError::model(format!(
                "`{name}` has {total} lines; give an offset from 1 to {total}"
            )));
        }
        let spans = merged(spans, total);
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

    /// The lines, and which spans they are.
    fn body(&self, spans: &[Span]) -> (String, Vec<Span>) {
        let mut body = String::new();
        let mut shown: Vec<Span> = Vec::new();
        let mut lines = (1..).zip(self.text.lines()).peekable();
        for (first, last) in spans {
            while lines.next_if(|(number, _)| number < first).is_some() {}
            let mut span = None;
            while let Some((number, line)) = lines.next_if(|(number, _)| number <= last) {
                let len = body.len().saturating_add(line.len().min(LINE_BYTES));
                if !body.is_empty() && len > self.room {
                    shown.extend(span);
                    return (body, shown);
                }
                if span.is_none() && !shown.is_empty() {
                    body.push_str("     \u{2026}\n");
                }
                span = Some((*first, number));
                // Before it is cut: half a secret is not found.
                write_line(&mut body, number, &self.redactor.redact(line));
            }
            shown.extend(span);
        }
        (body, shown)
    }
}

/// Sorted, without what lies behind the end, and spans that meet made one.
fn merged(spans: &[Span], total: u64) -> Vec<Span> {
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

/// A span as a model writes it: `10-20`, `10-` or `10`.
pub(crate) fn span(text: &str) -> Result<Span, ToolError> {
    let wrong = || ToolError::model(format!("`{text}` is no range of lines; write it as 10-20, 10- or 10"));
    let number = |digits: &str| digits.trim().parse::<u64>().ok().filter(|line| *line > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first = number(first).ok_or_else(wrong)?;
    let last = if last.trim().is_empty() { u64::MAX } else { number(last).ok_or_else(wrong)? };
    if first > last { Err(wrong()) } else { Ok((first, last)) }
}
