//! Excerpts of chunks for results.

use std::collections::HashSet;
use std::fmt::Write;

use super::tokens::words;

const MAX_LINES: usize = 12;
const MAX_LINE_CHARS: usize = 200;

/// Returns numbered lines of a chunk: all lines of a short chunk, otherwise those with the most words of the
/// query.
pub(super) fn snippet(text: &str, (first, last): (usize, usize), asked: &[String]) -> String {
    let count = last.saturating_sub(first).saturating_add(1);
    let lines: Vec<&str> = text.lines().skip(first.saturating_sub(1)).take(count).collect();
    let start = best_start(&lines, asked);
    let mut shown = String::new();
    for (at, line) in lines.iter().enumerate().skip(start).take(MAX_LINES) {
        let number = first.saturating_add(at);
        let cut: String = line.chars().take(MAX_LINE_CHARS).collect();
        let mark = if cut.len() < line.len() { " […]" } else { "" };
        // Writing into a string cannot fail.
        let _ = writeln!(shown, "{number:>6}\t{cut}{mark}");
    }
    shown
}

/// Returns all lines of a chunk, up to `most` bytes.
pub(super) fn body(text: &str, (first, last): (usize, usize), most: usize) -> String {
    let count = last.saturating_sub(first).saturating_add(1);
    let mut body = String::new();
    for line in text.split_inclusive('\n').skip(first.saturating_sub(1)).take(count) {
        let room = most.saturating_sub(body.len());
        body.push_str(line.get(..line.floor_char_boundary(room)).unwrap_or_default());
    }
    body
}

fn best_start(lines: &[&str], asked: &[String]) -> usize {
    if lines.len() <= MAX_LINES {
        return 0;
    }
    let in_line = |line: &&str| {
        let mut found = HashSet::new();
        words(line, &mut |word| found.extend(asked.iter().position(|asked| *asked == word)));
        found
    };
    let found: Vec<HashSet<usize>> = lines.iter().map(in_line).collect();
    let windows = found.windows(MAX_LINES).enumerate();
    let weigh = |window: &[HashSet<usize>]| window.iter().flatten().collect::<HashSet<_>>().len();
    // Of equal windows prefer the first, which contains the declaration.
    windows.rev().max_by_key(|(_, window)| weigh(window)).map_or(0, |(start, _)| start)
}
