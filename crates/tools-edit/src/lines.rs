//! A text as lines that know their own line end.

use std::ops::Range;

/// One line: what it says, and the bytes that end it (`\n`, `\r\n`, or nothing at the end of the text).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    pub(crate) text: &'t str,
    pub(crate) end: &'t str,
}

impl Line<'_> {
    pub(crate) fn len(&self) -> usize {
        self.text.len() + self.end.len()
    }
}

pub(crate) fn split(text: &str) -> Vec<Line<'_>> {
    let line = |whole: &'_ str| -> usize {
        let without = whole.strip_suffix("\r\n").or_else(|| whole.strip_suffix('\n')).unwrap_or(whole);
        without.len()
    };
    text.split_inclusive('\n')
        .map(|whole| {
            let (text, end) = whole.split_at(line(whole));
            Line { text, end }
        })
        .collect()
}

/// The number of the line in which a byte stands, counted from 1.
pub(crate) fn number_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// The line end used around a place: the next one after its start, else the one before it, else `\n`.
pub(crate) fn end_near(text: &str, place: &Range<usize>) -> &'static str {
    let before = text.get(..place.start).unwrap_or("");
    let after = text.get(place.start..).unwrap_or("");
    let (head, at) = match (after.find('\n'), before.rfind('\n')) {
        (Some(at), _) if at > 0 => (after, at),
        (Some(0), _) => (text, place.start),
        (_, Some(at)) => (before, at),
        _ => return "\n",
    };
    if head.get(..at).is_some_and(|head| head.ends_with('\r')) { "\r\n" } else { "\n" }
}
