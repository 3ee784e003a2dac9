//! Lines of a text with their line ends, and their comparison.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use windlass_text::{Charset, Text};

/// One line: its text, and the bytes that end it (`\n`, `\r\n`, or empty at the end of the text).
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

/// Tolerance of a comparison of two lines, from the strictest level to the most lenient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// The lines are equal.
    Exact,
    /// Trailing white space is ignored.
    Trimmed,
    /// Trailing white space is ignored, and typographic quotes, dashes and spaces equal the plain ones that
    /// models write.
    Folded,
}

impl Likeness {
    pub(crate) const ALL: [Self; 3] = [Self::Exact, Self::Trimmed, Self::Folded];

    /// Returns the part of a line that is compared.
    pub(crate) fn part_to_compare(self, line: &str) -> Cow<'_, str> {
        let trimmed = line.trim_end();
        match self {
            Self::Exact => Cow::Borrowed(line),
            Self::Trimmed => Cow::Borrowed(trimmed),
            Self::Folded if trimmed.is_ascii() => Cow::Borrowed(trimmed),
            Self::Folded => Cow::Owned(trimmed.chars().map(fold).collect::<String>().trim_end().to_owned()),
        }
    }

    /// Describes the ignored differences for a result; `None` for an exact match.
    pub(crate) fn forgiven(self) -> Option<&'static str> {
        match self {
            Self::Exact => None,
            Self::Trimmed => Some("white space at line ends forgiven"),
            Self::Folded => Some("white space at line ends and typographic marks forgiven"),
        }
    }
}

fn fold(letter: char) -> char {
    match letter {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        letter => letter,
    }
}

/// Lines of a file. For each tolerance they are numbered on first use, so that equivalent lines have equal
/// numbers.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    pub(crate) body: &'t str,
    pub(crate) charset: Charset,
    pub(crate) all: Vec<Line<'t>>,
    numbered: [OnceCell<Numbered<'t>>; 3],
    block_ends: OnceCell<Vec<usize>>,
}

type Numbered<'t> = (Vec<usize>, HashMap<Cow<'t, str>, usize>);

impl<'t> Lines<'t> {
    pub(crate) fn scan(text: &'t Text<'_>) -> Self {
        Self::new(text.body(), text.charset())
    }

    pub(crate) fn new(body: &'t str, charset: Charset) -> Self {
        Self { body, charset, all: split(body), numbered: Default::default(), block_ends: OnceCell::new() }
    }

    /// Returns the first line of every place where the wanted lines follow each other. Linear in the length
    /// of the file.
    pub(crate) fn find_places(&self, wanted: &[&str], likeness: Likeness) -> Vec<usize> {
        let cell = match likeness {
            Likeness::Exact => &self.numbered[0],
            Likeness::Trimmed => &self.numbered[1],
            Likeness::Folded => &self.numbered[2],
        };
        let (lines, numbers) = cell.get_or_init(|| {
            let mut numbers: HashMap<Cow<'t, str>, usize> = HashMap::new();
            let mut number = |line: &Line<'t>| {
                let next = numbers.len();
                *numbers.entry(likeness.part_to_compare(line.text)).or_insert(next)
            };
            (self.all.iter().map(&mut number).collect(), numbers)
        });
        let number = |line: &&str| numbers.get(&likeness.part_to_compare(line)).copied();
        let wanted: Option<Vec<usize>> = wanted.iter().map(number).collect();
        wanted.map_or_else(Vec::new, |wanted| search(lines, &wanted))
    }

    /// Returns the first line after the block that a line opens: the next non-blank line that is not indented
    /// more deeply.
    pub(crate) fn block_end(&self, line: usize) -> usize {
        let ends = self.block_ends.get_or_init(|| block_ends(&self.all));
        ends.get(line).copied().unwrap_or(line)
    }

    /// Returns the line end used near a line: the closest one above, otherwise the closest one below.
    pub(crate) fn end_near(&self, line: usize) -> &'t str {
        let (above, below) = self.all.split_at(line.min(self.all.len()));
        let mut ends = above.iter().rev().chain(below).map(|line| line.end);
        ends.find(|end| !end.is_empty()).unwrap_or("\n")
    }

    /// Returns the offset of each line in bytes, and at the end the length of the text.
    pub(crate) fn starts(&self) -> Vec<usize> {
        let mut starts = Vec::with_capacity(self.all.len() + 1);
        let mut at = 0;
        for line in &self.all {
            starts.push(at);
            at += line.len();
        }
        starts.push(at);
        starts
    }

    /// Returns a line for display. Non-ASCII characters of an unknown encoding are replaced by U+FFFD.
    pub(crate) fn display<'s>(&self, line: &'s str) -> Cow<'s, str> {
        if self.charset == Charset::Unknown && !line.is_ascii() {
            return Cow::Owned(line.chars().map(|it| if it.is_ascii() { it } else { '\u{fffd}' }).collect());
        }
        Cow::Borrowed(line)
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

/// Computes the end of every line's block, from the last line to the first. The stack has the lines that can
/// still end a block, with the deepest and nearest on top, so the whole pass takes O(lines · log depth).
fn block_ends(lines: &[Line<'_>]) -> Vec<usize> {
    let mut stack: Vec<(usize, usize)> = Vec::new();
    let mut ends = vec![lines.len(); lines.len()];
    for (position, (line, end)) in lines.iter().zip(&mut ends).enumerate().rev() {
        let rest = line.text.trim_start();
        let indent = line.text.len() - rest.len();
        let deeper = stack.partition_point(|(other, _)| *other <= indent);
        if let Some((_, behind)) = deeper.checked_sub(1).and_then(|top| stack.get(top)) {
            *end = *behind;
        }
        if !rest.is_empty() {
            stack.truncate(stack.partition_point(|(other, _)| *other < indent));
            stack.push((indent, position));
        }
    }
    ends
}

/// Returns the number of the line at a byte offset, counted from 1.
pub(crate) fn number_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Index of the line ends of a text, for repeated lookups of the line end near a place.
pub(crate) struct LineEnds<'t> {
    text: &'t str,
    /// The offsets of all `\n`.
    at: Vec<usize>,
}

impl<'t> LineEnds<'t> {
    pub(crate) fn split(text: &'t str) -> Self {
        Self { text, at: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    /// Returns the line end used near a place: the next one from its start, otherwise the preceding one,
    /// otherwise `\n`. Takes O(log lines).
    pub(crate) fn line_end_near(&self, place: &Range<usize>) -> &'static str {
        let next = self.at.partition_point(|at| *at < place.start);
        let at = self.at.get(next).or_else(|| self.at.get(next.checked_sub(1)?));
        let head = at.and_then(|at| self.text.get(..*at));
        if head.is_some_and(|head| head.ends_with('\r')) { "\r\n" } else { "\n" }
    }
}

/// Returns the positions of `wanted` in `text` (Knuth, Morris and Pratt).
fn search(text: &[usize], wanted: &[usize]) -> Vec<usize> {
    let at = |position: usize| wanted.get(position);
    // KMP failure function of `wanted`.
    let mut kept = vec![0; wanted.len()];
    let mut met = 0;
    for position in 1..wanted.len() {
        while met > 0 && at(met) != at(position) {
            met = kept.get(met - 1).copied().unwrap_or(0);
        }
        if at(met) == at(position) {
            met += 1;
        }
        if let Some(kept) = kept.get_mut(position) {
            *kept = met;
        }
    }
    let mut found = Vec::new();
    met = 0;
    for (position, number) in text.iter().enumerate() {
        while met > 0 && at(met) != Some(number) {
            met = kept.get(met - 1).copied().unwrap_or(0);
        }
        if at(met) == Some(number) {
            met += 1;
        }
        if met == wanted.len() && met > 0 {
            found.push(position + 1 - met);
            met = kept.last().copied().unwrap_or(0);
        }
    }
    found
}

#[cfg(test)]
mod tests;
