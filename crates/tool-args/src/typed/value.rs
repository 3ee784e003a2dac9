//! A value of any type, filled from the steps of a parser.

use windlass_partial_json::{Bookmark, JsonChange, Kind, NestedChange, Snapshot};

use crate::mismatch::{Mismatch, Mismatches};
use crate::partial::{Part, Partial, PartialValue, Place};

/// A typed value that follows an external parser: a struct, a union, a list or a plain value. The value is the whole
/// text, or one member of the object that the text is. The cost of an update is linear in the changes since the last
/// update.
///
/// ```
/// use windlass_partial_json::Parser;
/// use windlass_tool_args::ValuePartial;
///
/// let (mut parser, mut lines) = (Parser::new(), ValuePartial::<Vec<String>>::in_member("answer"));
/// parser.push(r#"{"answer": ["one", "tw"#)?;
/// let elements = lines.update(parser.snapshot()).growing().map(|lines| lines.len());
/// assert_eq!(elements, Some(2));
/// parser.push(r#"o"]}"#)?;
/// assert_eq!(lines.update(parser.snapshot()).complete().map(Vec::len), Some(2));
/// # Ok::<(), windlass_partial_json::Error>(())
/// ```
#[derive(Debug)]
pub struct ValuePartial<T: PartialValue> {
    bookmark: Bookmark,
    value: Partial<T>,
    /// The member that contains the value; `None` if the value is the whole text.
    member: Option<&'static str>,
    place: Place,
    mismatches: Mismatches,
}

impl<T: PartialValue> Default for ValuePartial<T> {
    fn default() -> Self {
        Self {
            bookmark: Bookmark::default(),
            value: Partial::Missing,
            member: None,
            place: Place::default(),
            mismatches: Mismatches::new(),
        }
    }
}

impl<T: PartialValue> ValuePartial<T> {
    /// Creates a value that is a member of the top-level object. A text that is not an object is the value itself.
    pub fn in_member(name: &'static str) -> Self {
        Self { member: Some(name), ..Self::default() }
    }

    /// Applies the changes of a snapshot. All snapshots must come from the same parser.
    pub fn update(&mut self, snapshot: Snapshot<'_>) -> &Partial<T> {
        if snapshot.root().is_some_and(|root| root.kind() != Kind::Object) {
            self.member = None;
        }
        for step in snapshot.steps(&mut self.bookmark) {
            let part = match self.member {
                None => Some(root_part(&step)),
                Some(_) if step.depth == 0 => None,
                Some(name) => self.place.part(&step, |key| (key == name).then_some(0)).map(|(_, part)| part),
            };
            match part {
                Some(Part::Inside) => self.value.apply_inside(&step, &mut self.mismatches),
                Some(part) => {
                    self.value.turn(part, &mut self.mismatches);
                }
                None => {}
            }
        }
        &self.value
    }

    /// Returns the value in its current state.
    pub fn value(&self) -> &Partial<T> {
        &self.value
    }

    /// Returns the first values that did not fit the type, at most 16. Their paths begin at the top-level value.
    pub fn mismatches(&self) -> &[Mismatch] {
        self.mismatches.list()
    }
}

/// Returns the relation of a step to the top-level value.
fn root_part<'a>(step: &NestedChange<'a>) -> Part<'a> {
    match step.change {
        JsonChange::Begin { value, .. } if step.depth == 0 => Part::Begin(value),
        JsonChange::Whole { value, .. } if step.depth == 0 => Part::Whole(value),
        JsonChange::End { value } if step.depth == 0 => Part::End(value),
        _ => Part::Inside,
    }
}
