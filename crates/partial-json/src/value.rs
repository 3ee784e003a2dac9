//! Copies a node into a `serde_json::Value`, without recursion.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::document::{Record, wide};
use crate::node::{Completeness, Kind, Node};

/// A container whose children are still being copied.
struct Open<'a> {
    value: Value,
    record: &'a Record,
    end: u32,
}

impl Node<'_> {
    /// Copies the value as far as it has arrived. Returns `None` if the value is pending, and omits pending
    /// values inside it. A number too large for a 64-bit float becomes `null`.
    pub fn to_value(self) -> Option<Value> {
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut at = self.at;
        let end = self.document.subtree_end(at);
        while at < end {
            let record = self.document.record(at)?;
            if at != self.at && record.superseded {
                at = self.document.subtree_end(at);
            } else if record.kind.is_container() {
                let value =
                    if record.kind == Kind::Array { Value::Array(Vec::new()) } else { Map::new().into() };
                let end = self.document.subtree_end(at);
                open.push(Open { value, record, end });
                at = at.saturating_add(1);
            } else {
                let leaf = self.leaf(record);
                at = at.saturating_add(1);
                match (open.last_mut(), leaf) {
                    (None, leaf) => return leaf,
                    (Some(parent), Some(leaf)) => self.insert_into(&mut parent.value, record, leaf),
                    (Some(_), None) => {}
                }
            }
            while open.last().is_some_and(|container| container.end <= at) {
                let done = open.pop()?;
                match open.last_mut() {
                    None => return Some(done.value),
                    Some(parent) => self.insert_into(&mut parent.value, done.record, done.value),
                }
            }
        }
        None
    }

    fn insert_into(self, parent: &mut Value, record: &Record, value: Value) {
        match parent {
            Value::Array(elements) => elements.push(value),
            Value::Object(members) => {
                members.insert(self.document.text_of(record.key).to_owned(), value);
            }
            _ => {}
        }
    }

    fn leaf(self, record: &Record) -> Option<Value> {
        if record.completeness == Completeness::Pending {
            return None;
        }
        let text = || self.document.text_of(record.body);
        Some(match record.kind {
            Kind::Bool => Value::Bool(record.truth),
            Kind::Number => number(text()),
            Kind::String => Value::String(text().to_owned()),
            Kind::Null | Kind::Array | Kind::Object => Value::Null,
        })
    }
}

/// Returns the value that a strict parse of this number returns, or `null` if it is out of range.
pub(crate) fn number(text: &str) -> Value {
    // Fast path: most numbers are short integers and need no full parser.
    if text.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = text.parse::<u64>()
    {
        return number.into();
    }
    serde_json::from_str(text).unwrap_or(Value::Null)
}

/// Returns whether a strict parse accepts the number, which must fit a 64-bit float.
pub(crate) fn fits(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok()
}

/// Returns whether a number of `length` bytes can exceed the range of a 64-bit float without an exponent. The
/// largest float has 309 integer digits.
pub(crate) fn may_overflow(length: u32) -> bool {
    wide(length) > 300
}
