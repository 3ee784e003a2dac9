//! Search for the places of a patch's hunks or a diff's blocks: exact matches first, then matches with
//! growing tolerance, which have to be unique (RULES E2). Several matches are an error unless a line number
//! selects one.

use std::ops::Range;

use crate::effort::{Effort, Halt};
use crate::lines::{Likeness, Lines};
use crate::patch::{Hint, Hunk, HunkLine};

/// Cost of comparing a line with an anchor, in line visits: the line is trimmed, and read again for anchors
/// that are only its prefix.
const ANCHOR_VISITS: usize = 4;

/// Location of a hunk in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The lines of the file that the hunk contains, with their context.
    pub(crate) range: Range<usize>,
    /// The lines of the file that the hunk changes.
    pub(crate) core: Range<usize>,
    /// The lines of the hunk without the context at both ends.
    pub(crate) lines: Range<usize>,
    pub(crate) likeness: Likeness,
}

/// Relation between the order of hunks and their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// A match below the preceding hunk is preferred.
    Falling,
    /// Each hunk is located independently.
    Free,
}

/// Reason why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// No line of the file matches the anchor.
    Anchor(String),
    /// The file does not contain the lines.
    Missing,
    /// The file contains the lines several times. Holds the first line of each match, counted from 1.
    Ambiguous(Vec<usize>),
    /// Another hunk changes the same lines.
    Overlap,
    /// The search was aborted.
    Halted(Halt),
}

impl Lines<'_> {
    /// Finds the places of all hunks in the unchanged file (RULES E1). Returns the index of the first hunk
    /// without a place, and the reason.
    pub(crate) fn places(
        &self,
        hunks: &[Hunk],
        order: Order,
        effort: &Effort,
    ) -> Result<Vec<Place>, (usize, Misfit)> {
        let mut places: Vec<Place> = Vec::with_capacity(hunks.len());
        let mut after = 0;
        for (position, hunk) in hunks.iter().enumerate() {
            let place = self.place(hunk, after, effort).map_err(|misfit| (position, misfit))?;
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

    fn place(&self, hunk: &Hunk, after: usize, effort: &Effort) -> Result<Place, Misfit> {
        // Search below the preceding place first. The sections of a patch can be out of order, so search the
        // whole file next.
        let anchors = match self.anchors(&hunk.anchors, after, effort) {
            Err(Misfit::Anchor(_)) if after > 0 => self.anchors(&hunk.anchors, 0, effort)?,
            anchors => anchors?,
        };
        let old = hunk.old();
        if old.is_empty() {
            return self.insertion(hunk, anchors.as_deref());
        }
        for likeness in Likeness::ALL {
            effort.spend(self.all.len().saturating_add(old.len())).map_err(Misfit::Halted)?;
            let all = self.find_places(&old, likeness);
            let at_end = |start: &usize| !hunk.at_end || start + old.len() == self.all.len();
            let all: Vec<usize> = all.into_iter().filter(at_end).collect();
            let mut found: Vec<usize> = all.iter().copied().filter(|start| *start >= after).collect();
            if found.is_empty() {
                found = all;
            }
            if let Some(anchors) = &anchors {
                found = self.places_below(anchors, &found);
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

    /// Places a hunk that only adds lines: at the end of the file for `*** End of File`, otherwise below the
    /// anchor or after the line number of the hunk. A hunk without both is appended to the file.
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

    /// Finds the lines that match the innermost anchor below the outer ones. Returns `None` if the patch has
    /// no anchors.
    fn anchors(
        &self,
        anchors: &[String],
        after: usize,
        effort: &Effort,
    ) -> Result<Option<Vec<usize>>, Misfit> {
        let mut found: Option<Vec<usize>> = None;
        for anchor in anchors {
            effort.spend(self.all.len().saturating_mul(ANCHOR_VISITS)).map_err(Misfit::Halted)?;
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
                    self.places_below(&inner, &all)
                }
            };
            if next.is_empty() {
                return Err(Misfit::Anchor(anchor.clone()));
            }
            found = Some(next);
        }
        Ok(found)
    }

    /// Returns the places below one of the anchors: in the block that the anchor opens, or, if that has none,
    /// anywhere below it. Both lists and the result are sorted. Takes O(anchors · log places + places).
    fn places_below(&self, anchors: &[usize], places: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        // Every place before this index is in `found` or is not below an anchor so far.
        let mut next = 0;
        for anchor in anchors {
            let first = places.partition_point(|start| start < anchor);
            let behind = self.block_end(*anchor);
            let inside = places.partition_point(|start| *start < behind);
            let end = if first < inside { inside } else { places.len() };
            found.extend(places.get(first.max(next)..end).unwrap_or_default());
            next = next.max(end);
            if next == places.len() {
                break;
            }
        }
        found
    }
}

impl Place {
    fn new(hunk: &Hunk, range: Range<usize>, likeness: Likeness) -> Self {
        let keep = |line: &&HunkLine| matches!(line, HunkLine::Keep(_));
        let lead = hunk.lines.iter().take_while(keep).count();
        let tail = hunk.lines.iter().rev().take_while(keep).count();
        let (first, last) = (range.start + lead, range.end.saturating_sub(tail));
        // The parser refuses a hunk without changes, which would have no core.
        let core = first..last.max(first);
        let lines = lead..hunk.lines.len().saturating_sub(tail).max(lead);
        Self { range, core, lines, likeness }
    }

    /// Returns whether one place changes lines that the other contains. Shared context is not a conflict, and
    /// two insertions at one place are allowed.
    fn conflicts(&self, other: &Self) -> bool {
        overlaps(&self.core, &other.range) || overlaps(&self.range, &other.core)
    }
}

impl Hint {
    /// Selects one of several places by the hint.
    fn pick(self, places: &[usize]) -> Option<usize> {
        match self {
            Self::At(line) => places.iter().copied().find(|start| start + 1 == line),
            Self::Near(line) => {
                let mut far: Vec<_> =
                    places.iter().map(|start| ((start + 1).abs_diff(line), *start)).collect();
                far.sort_unstable();
                match far.as_slice() {
                    // A model's line numbers are off by a few lines, and seldom by half the distance to the
                    // next match.
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

#[cfg(test)]
mod tests;
