//! The member of an object, or the element of a list, that a step concerns.

use windlass_partial_json::{JsonChange, NestedChange, Node};

use crate::mismatch::Mismatches;

/// The relation of a step to a member.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a value begins, continues and ends, or arrives whole")]
pub enum Part<'a> {
    /// The value of the member begins.
    Begin(Node<'a>),
    /// The step is inside the value of the member.
    Inside,
    /// The value of the member ends.
    End(Node<'a>),
    /// The value of the member arrives complete.
    Whole(Node<'a>),
}

/// The member whose value is currently open.
///
/// Steps arrive in the order of the text, so every step concerns the open member, and a key is looked up
/// once, when its value begins. The depth of a step distinguishes the end of the value from the ends of
/// values inside it.
#[derive(Debug, Default)]
pub struct Place {
    open: Option<Open>,
    /// True if a value did not fit its type.
    failed: bool,
    /// True if a member arrived that the type does not have.
    met_unknown: bool,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    member: u16,
    depth: usize,
}

/// Marks a member that the type does not have.
const UNKNOWN: u16 = u16::MAX;

impl Place {
    /// Returns the member that a step concerns and the step's relation to it, or `None` if the type does not
    /// have the member. `member_of` maps a key to a member.
    #[inline]
    pub fn part<'a>(
        &mut self,
        step: &NestedChange<'a>,
        member_of: impl FnOnce(&str) -> Option<u16>,
    ) -> Option<(u16, Part<'a>)> {
        let (member, part) = match (self.open, step.change) {
            (Some(open), JsonChange::End { value }) if open.depth == step.depth => {
                self.open = None;
                (open.member, Part::End(value))
            }
            (Some(open), _) => (open.member, Part::Inside),
            (None, JsonChange::Begin { key, value }) => {
                let member = self.insert_known(member_of(key));
                self.open = Some(Open { member, depth: step.depth });
                (member, Part::Begin(value))
            }
            (None, JsonChange::Whole { key, value }) => {
                (self.insert_known(member_of(key)), Part::Whole(value))
            }
            (None, JsonChange::Grow { .. } | JsonChange::End { .. }) => return None,
        };
        (member != UNKNOWN).then_some((member, part))
    }

    #[inline]
    fn insert_known(&mut self, member: Option<u16>) -> u16 {
        self.met_unknown |= member.is_none();
        member.unwrap_or(UNKNOWN)
    }

    /// Records whether a value fits its type.
    #[inline]
    pub fn note(&mut self, fits: bool) {
        self.failed |= !fits;
    }

    /// Returns whether the type has all members that arrived; records a mismatch if not.
    pub fn knows_all(&self, object: Node<'_>, mismatches: &mut Mismatches) -> bool {
        if self.met_unknown {
            mismatches.add(object, "only the properties of the schema", "an unknown one");
        }
        !self.met_unknown
    }

    /// Returns whether all values that arrived fit their types.
    pub fn fits(&self) -> bool {
        !self.failed
    }
}
