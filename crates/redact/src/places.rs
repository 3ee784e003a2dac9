//! The places of a JSON text that contain a secret.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use crate::Redactor;
use crate::json::{is_secret_number, next_string, number_length, unquote};

/// Kind of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PlaceKind {
    Key,
    Text,
    Number,
}

/// A key, a string or a number that contains a secret.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) kind: PlaceKind,
    /// The keys from the root to the place. The first elements of a list have different paths, because they can
    /// be the fields of a tuple; the others have the same path.
    pub(crate) path: String,
    /// The position of the literal in the text.
    pub(crate) range: Range<usize>,
    /// The content without secrets, unquoted.
    pub(crate) clean: String,
}

/// An object or a list that is not closed yet.
struct Level {
    is_object: bool,
    /// True if the next string is a key.
    expects_key: bool,
    /// Length of the path of the object or list itself.
    path: usize,
    /// Number of the present element of a list, at most [`TUPLE`].
    index: usize,
}

/// Number of the elements of a list that can be fields of a tuple.
const TUPLE: usize = 12;

/// Finds the places in the text of a valid JSON value, in their order.
pub(crate) fn find_places(redactor: &Redactor, text: &str) -> Vec<Place> {
    let (mut places, mut levels, mut path) = (Vec::new(), Vec::<Level>::new(), String::new());
    let mut at = 0_usize;
    while let Some(&byte) = text.as_bytes().get(at) {
        let mut end = at.saturating_add(1);
        match byte {
            b'{' | b'[' => {
                let is_object = byte == b'{';
                levels.push(Level { is_object, expects_key: is_object, path: path.len(), index: 0 });
                if !is_object {
                    push_index(&mut path, 0);
                }
            }
            b'}' | b']' => path.truncate(levels.pop().map_or(0, |level| level.path)),
            b',' => {
                if let Some(level) = levels.last_mut() {
                    level.expects_key = level.is_object;
                    path.truncate(level.path);
                    if !level.is_object {
                        level.index = level.index.saturating_add(1).min(TUPLE);
                        push_index(&mut path, level.index);
                    }
                }
            }
            b'"' => {
                end = next_string(text, at).map_or(text.len(), |(_, end)| end);
                let inside = text.get(at..end).and_then(unquote).unwrap_or_default();
                let is_key = levels.last().is_some_and(|level| level.expects_key);
                if let Cow::Owned(clean) = redactor.redact(&inside) {
                    let kind = if is_key { PlaceKind::Key } else { PlaceKind::Text };
                    places.push(Place { kind, path: path.clone(), range: at..end, clean });
                }
                if let Some(level) = levels.last_mut().filter(|_| is_key) {
                    level.expects_key = false;
                    path.push('\n');
                    path.push_str(&inside);
                }
            }
            b'-' | b'0'..=b'9' => {
                end = at.saturating_add(number_length(text, at, text.len()));
                if text.get(at..end).is_some_and(|number| is_secret_number(redactor, number)) {
                    let clean = Redactor::MARK.to_owned();
                    places.push(Place { kind: PlaceKind::Number, path: path.clone(), range: at..end, clean });
                }
            }
            _ => {}
        }
        at = end;
    }
    places
}

fn push_index(path: &mut String, index: usize) {
    // Writing into a string cannot fail.
    let _ = write!(path, "[{index}]");
}
