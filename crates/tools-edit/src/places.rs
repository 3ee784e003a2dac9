//! Where in a file the hunks of a patch or the blocks of a diff stand: letter for letter first, then more and more
//! forgivingly, and then only in one place (RULES E2). Nothing is ever picked where two places would do.

use std::ops::Range;

use crate::lines::{Likeness, Lines};
use crate::patch::{Hint, Hunk, HunkLine};

/// Where a hunk stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The lines of the file that the hunk shows.
    pub(crate) range: Range<usize>,
    /// Those of them that it changes.
    pub(crate) core: Range<usize>,
    /// The lines of the hunk that make the change.
    pub(crate) lines: Range<usize>,
    pub(crate) likeness: Likeness,
}

/// Whether the order of hunks says where they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// A hunk stands below the one before it if that leaves a place.
    Falling,
    /// Each hunk stands for itself.
    Free,
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

impl Lines<'_> {
    /// Finds the places of all hunks, against the file as it is (RULES E1).
    pub(crate) fn places(&self, hunks: &[Hunk], order: Order) -> Result<Vec<Place>, (usize, Misfit)> {
        let mut places: Vec<Place> = Vec::with_capacity(hunks.len());
        let mut after = 0;
        for (position, hunk) in hunks.iter().enumerate() {
            let place = self.place(hunk, after).map_err(|misfit| (position, misfit))?;
            if places.iter().any(|other| other.conflicts(&place)) {
                return Err((position, Misfit::Overlap));
            }
            if order == Order::Falling {
                after = place.core.end;
            }
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
        for likeness in Likeness::ALL {
            let all = self.standing(&old, likeness);
            let at_end = |start: &usize| !hunk.at_end || start + old.len() == self.all.len();
            let all: Vec<usize> = all.into_iter().filter(at_end).collect();
            let mut found: Vec<usize> = all.iter().copied().filter(|start| *start >= after).collect();
            if found.is_empty() {
                found = all;
            }
            if let Some(anchors) = &anchors {
                found = self.below(anchors, &found);
            }
            let picked = match found.as_slice() {
                [] => continue,
                [start] => Some(*start),
                several => hunk.hint.and_then(|hint| hint.pick(several)),
            };
            return match picked {
                Some(start) => Ok(Place::new(hunk, start..start + old.len(), likeness)),
                None => Err(ambiguous(&found)),
            };
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
            (None, Some(Hint::At(line) | Hint::Near(line))) if line <= count => line,
            (None, Some(_)) => return Err(Misfit::Missing),
            (None, None) => count,
        };
        Ok(Place::new(hunk, start..start, Likeness::Exact))
    }

    /// Where the lines stand that a patch names above its place; nothing if it names none.
    fn anchors(&self, anchors: &[String], after: usize) -> Result<Option<Vec<usize>>, Misfit> {
        let mut found: Option<Vec<usize>> = None;
        for anchor in anchors {
            let matching = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
                let lines = self.all.iter().enumerate().skip(after);
                lines.filter(|(_, line)| fits(line.text.trim())).map(|(position, _)| position).collect()
            };
            let mut all = matching(&|line| line == anchor);
            if all.is_empty() {
                all = matching(&|line| line.starts_with(anchor));
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
        let indent = |text: &str| text.len() - text.trim_start().len();
        let Some(own) = self.all.get(line).map(|line| indent(line.text)) else { return line };
        let mut rest = self.all.iter().enumerate().skip(line + 1);
        let behind = rest.find(|(_, line)| !line.text.trim().is_empty() && indent(line.text) <= own);
        behind.map_or(self.all.len(), |(position, _)| position)
    }
}

impl Place {
    fn new(hunk: &Hunk, range: Range<usize>, likeness: Likeness) -> Self {
        let keep = |line: &&HunkLine| matches!(line, HunkLine::Keep(_));
        let lead = hunk.lines.iter().take_while(keep).count();
        let tail = hunk.lines.iter().rev().take_while(keep).count();
        let (first, last) = (range.start + lead, range.end.saturating_sub(tail));
        // A hunk that keeps everything is refused before; it would have no core.
        let core = first..last.max(first);
        let lines = lead..hunk.lines.len().saturating_sub(tail).max(lead);
        Self { range, core, lines, likeness }
    }

    /// Whether one changes lines that the other shows. Lines that both only show are no conflict, and two
    /// insertions at one place are in order.
    fn conflicts(&self, other: &Self) -> bool {
        overlaps(&self.core, &other.range) || overlaps(&self.range, &other.core)
    }
}

impl Hint {
    /// The one of several places that the hint means.
    fn pick(self, places: &[usize]) -> Option<usize> {
        match self {
            Self::At(line) => places.iter().copied().find(|start| start + 1 == line),
            Self::Near(line) => {
                let mut far: Vec<_> =
                    places.iter().map(|start| ((start + 1).abs_diff(line), *start)).collect();
                far.sort_unstable();
                match far.as_slice() {
                    // The numbers of a model are off by some lines, and seldom by half the way to the next place.
                    [(near, start), (next, _), ..] if near.saturating_mul(2) < *next => Some(*start),
                    _ => None,
                }
            }
        }
    }
}

fn ambiguous(lines: &[usize]) -> Misfit {
    Misfit::Ambiguous(lines.iter().map(|line| line + 1).collect())
}

fn overlaps(left: &Range<usize>, right: &Range<usize>) -> bool {
    left.start < right.end && right.start < left.end
}
