//! A borrowed view of the partial document.

use serde_json::Value;

use crate::node::{Kind, Node};
use crate::parser::Parser;

/// State of the text as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "every consumer must distinguish the three")]
pub enum Status {
    /// The text is valid so far and not complete.
    Incomplete,
    /// The top-level value is complete; only white space may follow.
    Complete,
    /// The text is not JSON from this offset on, or exceeds a limit. Values before the offset remain visible.
    Malformed {
        /// The offset in bytes from the start of the text.
        at: usize,
    },
}

/// A key whose value has not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingKey<'a> {
    /// The key as far as it has arrived.
    pub text: &'a str,
    /// Set once the closing quote of the key has arrived.
    pub is_complete: bool,
}

/// A view of everything parsed so far. Creating or copying a snapshot is free.
///
/// Successive snapshots only grow: the type of a value never changes, a complete value never changes, and an
/// open string is a prefix of the final string. The only exception is a repeated key, whose last value wins.
#[derive(Clone, Copy)]
pub struct Snapshot<'a> {
    pub(crate) parser: &'a Parser,
}

impl<'a> Snapshot<'a> {
    /// Returns the state of the text as a whole.
    pub fn status(self) -> Status {
        self.parser.status()
    }

    /// Returns the top-level value, once its first byte has arrived.
    pub fn root(self) -> Option<Node<'a>> {
        Node::new(&self.parser.document, 0)
    }

    /// Returns the member of the top-level object with this key.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        self.root()?.get(key)
    }

    /// Returns the value at a JSON Pointer (RFC 6901); `""` is the top-level value.
    pub fn pointer(self, pointer: &str) -> Option<Node<'a>> {
        let mut node = self.root()?;
        if pointer.is_empty() {
            return Some(node);
        }
        for token in pointer.strip_prefix('/')?.split('/') {
            node = match node.kind() {
                Kind::Array => node.at(token.parse().ok()?)?,
                _ if token.contains('~') => node.get(&token.replace("~1", "/").replace("~0", "~"))?,
                _ => node.get(token)?,
            };
        }
        Some(node)
    }

    /// Returns the key in the innermost open object whose value has not started.
    pub fn pending_key(self) -> Option<PendingKey<'a>> {
        self.parser.pending_key()
    }

    /// Copies the known values into a [`Value`]; pending values are omitted, and a string may still be open.
    ///
    /// The copy is meant for display. It takes time proportional to the length of the text so far.
    pub fn to_value(self) -> Option<Value> {
        self.root()?.to_value()
    }
}

impl core::fmt::Debug for Snapshot<'_> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut shown = formatter.debug_struct("Snapshot");
        shown
            .field("status", &self.status())
            .field("root", &self.root())
            .field("pending_key", &self.pending_key());
        shown.finish_non_exhaustive()
    }
}
