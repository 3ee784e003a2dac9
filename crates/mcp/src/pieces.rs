//! A JSON array of which at most 4096 members are kept, whatever its length in the message.

use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Number of kept members, above every default of [`McpLimits`](crate::McpLimits).
const MOST: usize = 4096;

/// The first members of an array as raw JSON text, and the number of members that were not kept.
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
