//! Where in a file the hunks of a patch stand: byte for byte first, then without white space at line ends, and
//! then only in one place (RULES E2). Nothing is ever picked where two places would do.

use std::collections::HashMap;
use std::ops::Range;

use crate::patch::Hunk;

/// One line of a file: its bytes, and those that end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteLine<'b> {
    pub(crate) text: &'b [u8],
    pub(crate) end: &'b [u8],
}

/// A file's lines, numbered so that equal lines have equal numbers.
#[derive(Debug)]
pub(crate) struct Lines<'b> {
    pub(crate) all: Vec<ByteLine<'b>>,
    exact: Vec<usize>,
    loose: Vec<usize>,
    numbers: HashMap<&'b [u8], usize>,
}

/// Where a hunk stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) range: Range<usize>,
    pub(crate) exact: bool,
}

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// No line of the file is the anchor.
    Anchor(String),
    /// The lines stand nowhere.
    Missing,
    /// The lines stand in several places; these are their first lines, counted from 1.
    Ambiguous(Vec<usize>),
    /// Another hunk has the place.
    Overlap,
}

impl<'b> Lines<'b> {
    pub(crate) fn of(bytes: &'b [u8]) -> Self {
        let line = |whole: &'b [u8]| {
            let text = whole.strip_suffix(b"\n").unwrap_or(whole);
            let text = if text.len() < whole.len() { text.strip_suffix(b"\r").unwrap_or(text) } else { text };
            let (text, end) = whole.split_at(text.len());
            ByteLine { text, end }
        };
        let all: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').map(line).collect();
        let mut numbers = HashMap::new();
        let mut number = |text: &'b [u8]| {
            let next = numbers.len();
            *numbers.entry(text).or_insert(next)
        };
        let exact = all.iter().map(|line| number(line.text)).collect();
        let loose = all.iter().map(|line| number(line.text.trim_ascii_end())).collect();
        Self { all, exact, loose, numbers }
    }

    /// Finds the places of all hunks, against the file as it is (RULES E1).
    pub(crate) fn places(&self, hunks: &[Hunk]) -> Result<Vec<Place>, (usize, Misfit)> {
        let mut places: Vec<Place> = Vec::with_capacity(hunks.len());
        let mut after = 0;
        for (position, hunk) in hunks.iter().enumerate() {
            let place = self.place(hunk, after).map_err(|misfit| (position, misfit))?;
            if places.iter().any(|other| overlaps(&other.range, &place.range)) {
                return Err((position, Misfit::Overlap));
            }
            after = place.range.end;
            places.push(place);
        }
        Ok(places)
    }

    fn place(&self, hunk: &Hunk, after: usize) -> Result<Place, Misfit> {
        // What follows the place before comes first; a patch whose parts are out of order is looked for above.
        let anchors = match self.anchors(&hunk.anchors, after) {
            Err(_) if after > 0 => self.anchors(&hunk.anchors, 0)?,
            anchors => anchors?,
        };
        let old = hunk.old();
        if old.is_empty() {
            return self.insertion(hunk, anchors.as_deref());
        }
        for exact in [true, false] {
            let all = self.standing(&old, exact);
            let at_end = |start: &usize| !hunk.at_end || start + old.len() == self.all.len();
            let all: Vec<usize> = all.into_iter().filter(at_end).collect();
            let mut found: Vec<usize> = all.iter().copied().filter(|start| *start >= after).collect();
            if found.is_empty() {
                found = all;
            }
            if let Some(anchors) = &anchors {
                found = self.below(anchors, &found);
            }
            let hinted = hunk.hint.and_then(|line| line.checked_sub(1)).filter(|line| found.contains(line));
            match (hinted, found.as_slice()) {
                (Some(start), _) => return Ok(Place { range: start..start + old.len(), exact }),
                (None, [start]) => return Ok(Place { range: *start..start + old.len(), exact }),
                (None, []) => {}
                (None, several) => return Err(ambiguous(several)),
            }
        }
        Err(Misfit::Missing)
    }

    /// New lines alone go below their anchor, to the line that the patch names, or to the end.
    fn insertion(&self, hunk: &Hunk, anchors: Option<&[usize]>) -> Result<Place, Misfit> {
        let count = self.all.len();
        let start = match (anchors, hunk.hint) {
            _ if hunk.at_end => count,
            (Some([anchor]), _) => anchor + 1,
            (Some(several), _) => return Err(ambiguous(several)),
            (None, Some(line)) if line <= count => line,
            (None, Some(_)) => return Err(Misfit::Missing),
            (None, None) => count,
        };
        Ok(Place { range: start..start, exact: true })
    }

    /// Where the lines stand that a patch names above its place; nothing if it names none.
    fn anchors(&self, anchors: &[String], after: usize) -> Result<Option<Vec<usize>>, Misfit> {
        let mut found: Option<Vec<usize>> = None;
        for anchor in anchors {
            let words = anchor.as_bytes();
            let matching = |fits: &dyn Fn(&[u8]) -> bool| -> Vec<usize> {
                let lines = self.all.iter().enumerate().skip(after);
                lines.filter(|(_, line)| fits(line.text.trim_ascii())).map(|(position, _)| position).collect()
            };
            let mut all = matching(&|line| line == words);
            if all.is_empty() {
                all = matching(&|line| line.starts_with(words));
            }
            let next = match found {
                None => all,
                Some(outer) => {
                    let inner: Vec<usize> = outer.iter().map(|line| line + 1).collect();
                    self.below(&inner, &all)
                }
            };
            if next.is_empty() {
                return Err(Misfit::Anchor(anchor.clone()));
            }
            found = Some(next);
        }
        Ok(found)
    }

    /// Those of the places that stand below one of the anchors: in the block that it opens, or if there is none,
    /// anywhere below it.
    fn below(&self, anchors: &[usize], places: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        for anchor in anchors {
            let end = self.block_end(*anchor);
            let inside = places.iter().copied().filter(|start| start >= anchor && *start < end);
            let before = found.len();
            found.extend(inside);
            if found.len() == before {
                found.extend(places.iter().copied().filter(|start| start >= anchor));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The first line behind the block that a line opens: the next that is indented no deeper.
    fn block_end(&self, line: usize) -> usize {
        let indent = |line: &ByteLine<'_>| line.text.len() - line.text.trim_ascii_start().len();
        let Some(own) = self.all.get(line).map(indent) else { return line };
        let mut rest = self.all.iter().enumerate().skip(line + 1);
        let behind = rest.find(|(_, line)| !line.text.trim_ascii().is_empty() && indent(line) <= own);
        behind.map_or(self.all.len(), |(position, _)| position)
    }

    /// All places of some lines. Linear in the length of the file (Knuth, Morris and Pratt).
    fn standing(&self, old: &[&str], exact: bool) -> Vec<usize> {
        let text = |line: &&str| if exact { line.as_bytes().to_vec() } else { line.trim_ascii_end().into() };
        let number = |line: &&str| self.numbers.get(text(line).as_slice()).copied();
        let Some(wanted) = old.iter().map(number).collect::<Option<Vec<usize>>>() else { return Vec::new() };
        search(if exact { &self.exact } else { &self.loose }, &wanted)
    }

    /// The line end that is used around a line: above it first.
    pub(crate) fn end_near(&self, line: usize) -> &'b [u8] {
        let (above, below) = self.all.split_at(line.min(self.all.len()));
        let mut ends = above.iter().rev().chain(below).map(|line| line.end);
        ends.find(|end| !end.is_empty()).unwrap_or(b"\n")
    }
}

fn ambiguous(lines: &[usize]) -> Misfit {
    Misfit::Ambiguous(lines.iter().map(|line| line + 1).collect())
}

/// Two insertions at one place are in order; anything else that touches the same lines is not.
fn overlaps(left: &Range<usize>, right: &Range<usize>) -> bool {
    left.start < right.end && right.start < left.end
}

fn search(text: &[usize], wanted: &[usize]) -> Vec<usize> {
    let at = |position: usize| wanted.get(position);
    // How much of the wanted is still met after a mismatch behind each of its beginnings.
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
        if met == wanted.len() {
            found.push(position + 1 - met);
            met = kept.last().copied().unwrap_or(0);
        }
    }
    found
}

#[cfg(test)]
mod tests;
