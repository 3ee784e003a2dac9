//! The lines of a file that look most like a text that was not found.

use std::fmt::Write;

use similar::TextDiff;

use crate::lines::{number_at, split};

const MAX_LINES: usize = 5_000;
const MAX_LINE_BYTES: usize = 400;
const AROUND: usize = 3;
/// Below this share of common characters a line is no help.
const LEAST: f32 = 0.5;

/// The number of the line that is most like the first telling line of the text.
pub(crate) fn nearest_line(body: &str, text: &str) -> Option<usize> {
    let wanted = split(text).into_iter().map(|line| line.text.trim()).find(|line| !line.is_empty())?;
    let mut best = (LEAST, None);
    for (position, line) in split(body).iter().take(MAX_LINES).enumerate() {
        let line = line.text.trim();
        let (short, long) = (line.len().min(wanted.len()), line.len().max(wanted.len()));
        if line.is_empty() || long > MAX_LINE_BYTES || short * 3 < long {
            continue;
        }
        let likeness = TextDiff::from_chars(line, wanted).ratio();
        if likeness > best.0 {
            best = (likeness, Some(position + 1));
        }
    }
    best.1
}

/// The lines around a line, with their numbers.
pub(crate) fn around(body: &str, line: usize) -> String {
    let first = line.saturating_sub(AROUND).max(1);
    let mut text = String::new();
    for (number, line) in split(body).iter().enumerate().skip(first - 1).take(2 * AROUND + 1) {
        let shown: String = line.text.chars().take(MAX_LINE_BYTES).collect();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{:>6}\t{shown}", number + 1);
    }
    text
}

/// The numbers of the lines where places begin, for a message.
pub(crate) fn numbers(body: &str, starts: impl Iterator<Item = usize>) -> String {
    let mut numbers: Vec<String> = starts.take(21).map(|at| number_at(body, at).to_string()).collect();
    if numbers.len() > 20 {
        numbers.truncate(20);
        numbers.push("…".into());
    }
    numbers.join(", ")
}
