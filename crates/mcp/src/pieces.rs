//! The members of an array of which only so many are kept, however many a stranger sends.

use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// More than any limit asks for, and little to hold.
const MOST: usize = 4096;

/// The first members of an array as text, and how many more there are.
#[derive(Debug, Default)]
pub(crate) struct Pieces<'a> {
    pub(crate) kept: Vec<&'a RawValue>,
    pub(crate) more: usize,
}

struct PiecesVisitor;

impl<'de> Visitor<'de> for PiecesVisitor {
    type Value = Pieces<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Pieces<'de>, A::Error> {
        let mut pieces = Pieces::default();
        while pieces.kept.len() < MOST {
            match members.next_element()? {
                Some(piece) => pieces.kept.push(piece),
                None => return Ok(pieces),
            }
        }
        while members.next_element::<IgnoredAny>()?.is_some() {
            pieces.more = pieces.more.saturating_add(1);
        }
        Ok(pieces)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Pieces<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PiecesVisitor)
    }
}
