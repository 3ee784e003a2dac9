//! Search for the lines of a file that are most similar to a text without a match.

use std::collections::HashMap;
use std::fmt::Write;

use similar::TextDiff;
use windlass_protocol::ErrorText;

use crate::effort::Effort;
use crate::lines::{Likeness, Lines, number_at};

const MAX_LINES: usize = 5_000;
const MAX_LINE_BYTES: usize = 400;
/// Maximum number of wanted lines that are searched, and of equal wanted lines that one line of the file is
/// counted for.
const MAX_WANTED: usize = 200;
const MAX_ALIKE: usize = 8;
/// Cost of one character in a comparison of two lines by characters, in line visits.
const LETTER_VISITS: usize = 16;
const AROUND: usize = 3;
/// Maximum number of displayed lines.
const MAX_SHOWN: usize = 30;
/// Minimum similarity of a useful line, as a ratio of common characters.
const LEAST: f32 = 0.5;

/// Returns the position of the most similar place: the line of the file at which the first wanted line would
/// be. It is negative if that lies before the start of the file.
fn nearest(lines: &Lines<'_>, wanted: &[&str], effort: &Effort) -> Option<isize> {
    effort.spend(lines.all.len()).ok()?;
    offset_by_equal_lines(lines, wanted).or_else(|| offset_by_one_line(lines, wanted, effort))
}

/// Returns the offset at which most of the wanted text matches exactly, apart from white space at both ends
/// of lines.
fn offset_by_equal_lines(lines: &Lines<'_>, wanted: &[&str]) -> Option<isize> {
    let mut at: HashMap<&str, Vec<usize>> = HashMap::new();
    let wanted = || wanted.iter().take(MAX_WANTED).map(|line| line.trim()).enumerate();
    for (position, line) in wanted().filter(|(_, line)| !line.is_empty()) {
        at.entry(line).or_default().push(position);
    }
    let mut scores: HashMap<isize, usize> = HashMap::new();
    for (position, line) in lines.all.iter().enumerate() {
        for wanted in at.get(line.text.trim()).into_iter().flatten().take(MAX_ALIKE) {
            let (line_at, wanted_at) = (isize::try_from(position).ok()?, isize::try_from(*wanted).ok()?);
            *scores.entry(line_at - wanted_at).or_default() += line.text.trim().len();
        }
    }
    let whole: usize = wanted().map(|(_, line)| line.len()).sum();
    let best = scores.into_iter().max_by_key(|(offset, score)| (*score, std::cmp::Reverse(*offset)));
    best.filter(|(_, score)| score.saturating_mul(3) >= whole).map(|(offset, _)| offset)
}

/// Returns the offset of the line that is most similar to the first non-blank wanted line, as far as `effort`
/// allows.
fn offset_by_one_line(lines: &Lines<'_>, wanted: &[&str], effort: &Effort) -> Option<isize> {
    let (before, wanted) =
        wanted.iter().enumerate().map(|(at, line)| (at, line.trim())).find(|(_, line)| !line.is_empty())?;
    let mut best = (LEAST, None);
    for (position, line) in lines.all.iter().take(MAX_LINES).enumerate() {
        let line = line.text.trim();
        let (short, long) = (line.len().min(wanted.len()), line.len().max(wanted.len()));
        if line.is_empty() || long > MAX_LINE_BYTES || short * 3 < long {
            continue;
        }
        // Account for the worst case of a comparison by characters.
        if effort.spend(short.saturating_add(long).saturating_mul(LETTER_VISITS)).is_err() {
            break;
        }
        let likeness = TextDiff::from_chars(line, wanted).ratio();
        if likeness > best.0 {
            best = (likeness, Some(position));
        }
    }
    let offset = |position: usize| Some(isize::try_from(position).ok()? - isize::try_from(before).ok()?);
    best.1.and_then(offset)
}

/// Describes the place that is most similar to the wanted lines, with line numbers, and the first difference.
/// Returns `None` if no line is similar.
pub(crate) fn report(lines: &Lines<'_>, wanted: &[&str], effort: &Effort) -> Option<ErrorText> {
    let offset = nearest(lines, wanted, effort)?;
    let line_of = |position: usize| usize::try_from(offset + isize::try_from(position).ok()?).ok();
    let alike = |position: usize, line: &&str| {
        let there = line_of(position).and_then(|at| lines.all.get(at));
        there.is_some_and(|there| {
            Likeness::Folded.part_to_compare(there.text) == Likeness::Folded.part_to_compare(line)
        })
    };
    let differs = wanted.iter().enumerate().find(|(position, line)| !alike(*position, line));
    // If the text would begin before the file, display the start of the file.
    let first = usize::try_from(offset).unwrap_or(0);
    let mut text = format!("at line {}:\n{}", first + 1, render_around(lines, first, wanted.len()));
    if let Some((position, line)) = differs {
        let shown: String = line.chars().take(MAX_LINE_BYTES).collect();
        let place = match line_of(position).filter(|at| *at < lines.all.len()) {
            Some(at) => format!("at line {}", at + 1),
            None => "where the file has no line".to_owned(),
        };
        // Writing into a string cannot fail.
        let _ = writeln!(text, "It differs first {place}, where the call has `{shown}`.");
    }
    let text = ErrorText::new(text);
    Some(if has_numbers(wanted) {
        text.with_advice("The line numbers that tools show are not part of the file; leave them out.")
    } else {
        text
    })
}

/// Renders the lines around a place with their numbers.
fn render_around(lines: &Lines<'_>, first: usize, count: usize) -> String {
    let start = first.saturating_sub(AROUND);
    let many = (first - start).saturating_add(count).saturating_add(AROUND).min(MAX_SHOWN);
    let mut text = String::new();
    for (number, line) in lines.all.iter().enumerate().skip(start).take(many) {
        let shown: String = lines.display(line.text).chars().take(MAX_LINE_BYTES).collect();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{:>6}\t{shown}", number + 1);
    }
    text
}

/// Returns whether every line begins with a number and a tab, `|` or `:`, as tools display lines.
fn has_numbers(wanted: &[&str]) -> bool {
    let numbered = |line: &&str| {
        let rest = line.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
        rest.len() < line.trim_start().len() && rest.starts_with(['\t', '|', ':'])
    };
    !wanted.is_empty() && wanted.iter().all(numbered)
}

/// Lists the numbers of the lines at which places begin, for a message. At most 20 are listed.
pub(crate) fn numbers(body: &str, starts: impl Iterator<Item = usize>) -> String {
    let mut numbers: Vec<String> = starts.take(21).map(|at| number_at(body, at).to_string()).collect();
    if numbers.len() > 20 {
        numbers.truncate(20);
        numbers.push("…".into());
    }
    numbers.join(", ")
}
