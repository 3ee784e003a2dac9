//! Where in a file the hunks of a patch or the blocks of a diff stand: letter for letter first, then more and more
//! forgivingly, and then only in one place (RULES E2). Nothing is ever picked where two places would do.

use std::ops::Range;

use crate::effort::{Effort, Halt};
use crate::lines::{Likeness, Lines};
use crate::patch::{Hint, Hunk, HunkLine};

/// What a line costs that is compared with an anchor, in line visits: it is trimmed, and read a second time for
/// anchors that only begin it.
const ANCHOR_VISITS: usize = 4;

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
    /// The search was given up.
    Halted(Halt),
}

impl Lines<'_> {
    /// Finds the places of all hunks, against the file as it is (RULES E1).
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
        // What follows the place before comes first; a patch whose parts are out of order is looked for above.
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
    /// anywhere below it. Both lists are sorted, and so is the result. Takes O(anchors · log places + places).
    fn below(&self, anchors: &[usize], places: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        // All places before this index are in `found`, or below no anchor so far.
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

#[cfg(test)]
mod tests;
