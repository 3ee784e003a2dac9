//! Which member of an object, or element of a list, a step is about.

use windlass_partial_json::{Change, Node, Step};

use crate::mismatch::Mismatches;

/// What a step is to a member.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a value begins, goes on and ends, or comes whole")]
pub enum Part<'a> {
    /// Its value begins.
    Begin(Node<'a>),
    /// Something happens inside its value.
    Inside,
    /// Its value ends.
    End(Node<'a>),
    /// Its value comes whole.
    Whole(Node<'a>),
}

/// The member whose value is open.
///
/// Steps come in the order of the text, so the member that a step is about is the open one, and it is looked
/// up once, when it begins. A value's own end is told from ends inside it by its depth.
#[derive(Debug, Default)]
pub struct Place {
    open: Option<Open>,
    /// A value that came did not fit.
    failed: bool,
    /// A member came that the type does not have.
    met_unknown: bool,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    member: u16,
    depth: usize,
}

/// A member that the type does not have.
const UNKNOWN: u16 = u16::MAX;

impl Place {
    /// Which member a step is about, and what it is to the member. `member_of` knows members by their keys.
    #[inline]
    pub fn part<'a>(
        &mut self,
        step: &Step<'a>,
        member_of: impl FnOnce(&str) -> Option<u16>,
    ) -> Option<(u16, Part<'a>)> {
        let (member, part) = match (self.open, step.change) {
            (Some(open), Change::End { value }) if open.depth == step.depth => {
                self.open = None;
                (open.member, Part::End(value))
            }
            (Some(open), _) => (open.member, Part::Inside),
            (None, Change::Begin { key, value }) => {
                let member = self.known(member_of(key));
                self.open = Some(Open { member, depth: step.depth });
                (member, Part::Begin(value))
            }
            (None, Change::Whole { key, value }) => (self.known(member_of(key)), Part::Whole(value)),
            (None, Change::Grow { .. } | Change::End { .. }) => return None,
        };
        (member != UNKNOWN).then_some((member, part))
    }

    #[inline]
    fn known(&mut self, member: Option<u16>) -> u16 {
        self.met_unknown |= member.is_none();
        member.unwrap_or(UNKNOWN)
    }

    /// Notes whether a value that came fits.
    #[inline]
    pub fn note(&mut self, fits: bool) {
        self.failed |= !fits;
    }

    /// Whether the type has all members that came; told as a mismatch if not.
    pub fn knows_all(&self, object: Node<'_>, mismatches: &mut Mismatches) -> bool {
        if self.met_unknown {
            mismatches.add(object, "only the properties of the schema", "an unknown one");
        }
        !self.met_unknown
    }

    /// Whether all values that came fit.
    pub fn fits(&self) -> bool {
        !self.failed
    }
}
