//! Which member of an object, or element of an array, an event is about.

use windlass_partial_json::Event;

use crate::mismatch::Mismatches;

/// What an event is to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a value begins, goes on and ends")]
pub enum Step {
    /// Its first event.
    Begin,
    /// An event inside it.
    Inside,
    /// Its last event.
    End,
}

/// The member whose value is open.
///
/// Events come in the order of the text, so the member that an event is about is the open one, and it is
/// looked up once, when it begins. A value's own end is told from ends inside it by the length of its path.
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
    path_len: usize,
}

/// A member that the type does not have.
const UNKNOWN: u16 = u16::MAX;

impl Place {
    /// Which member an event is about, and what it is to the member. `member_of` knows members by the tokens
    /// of their paths.
    #[inline]
    pub fn step(
        &mut self,
        event: &Event<'_>,
        member_of: impl FnOnce(&str) -> Option<u16>,
    ) -> Option<(u16, Step)> {
        if let Some(Open { member, path_len }) = self.open {
            if let Event::Complete { path, .. } = event
                && path.len() == path_len
            {
                self.open = None;
                return (member != UNKNOWN).then_some((member, Step::End));
            }
            return (member != UNKNOWN).then_some((member, Step::Inside));
        }
        let Event::Began { path, .. } = event else { return None };
        let member = member_of(token(path)).unwrap_or(UNKNOWN);
        self.met_unknown |= member == UNKNOWN;
        self.open = Some(Open { member, path_len: path.len() });
        (member != UNKNOWN).then_some((member, Step::Begin))
    }

    /// Notes whether a value that came fits.
    #[inline]
    pub fn note(&mut self, fits: bool) {
        self.failed |= !fits;
    }

    /// Whether the type has all members that came; told as a mismatch if not.
    pub fn knows_all(&self, path: &str, mismatches: &mut Mismatches) -> bool {
        if self.met_unknown {
            mismatches.add(path, "only the properties of the schema", "an unknown one");
        }
        !self.met_unknown
    }

    /// Whether all values that came fit.
    pub fn fits(&self) -> bool {
        !self.failed
    }
}

/// The last token of a path, escaped as it is.
#[inline]
pub(crate) fn token(path: &str) -> &str {
    // Tokens are short, so this is quicker than a search made for long texts.
    let slash = path.bytes().rposition(|byte| byte == b'/').unwrap_or(path.len());
    path.get(slash.saturating_add(1)..).unwrap_or_default()
}
