//! What is known of a text so far, borrowed from the parser.

use serde_json::Value;

use crate::node::{Kind, Node};
use crate::parser::Parser;

/// Where the text as a whole stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "every consumer must tell these three apart")]
pub enum Status {
    /// More must come.
    Incomplete,
    /// The value is whole; only white space may follow.
    Complete,
    /// The text is not JSON from here on, or beyond a limit. What was shown before stays.
    Malformed {
        /// The offset in bytes from the start of the text.
        at: usize,
    },
}

/// A key whose value has not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingKey<'a> {
    /// The key, as far as it has come.
    pub text: &'a str,
    /// Whether its closing quote has come.
    pub is_complete: bool,
}

/// What is known of a text so far. Costs nothing to make or copy.
///
/// A snapshot only ever grows: a value's type never changes, a finished value never changes, an open string
/// is a prefix of what it will be. The one exception is a repeated key, whose last value wins.
#[derive(Clone, Copy)]
pub struct Snapshot<'a> {
    pub(crate) parser: &'a Parser,
}

impl<'a> Snapshot<'a> {
    /// Where the text as a whole stands.
    pub fn status(self) -> Status {
        self.parser.status()
    }

    /// The top-level value, once its first byte has come.
    pub fn root(self) -> Option<Node<'a>> {
        Node::new(&self.parser.document, 0)
    }

    /// The member of the top-level object with this key.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        self.root()?.get(key)
    }

    /// The value that a JSON Pointer names; `""` is the top-level value.
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

    /// The key whose value has not begun, in the innermost open object.
    pub fn pending_key(self) -> Option<PendingKey<'a>> {
        self.parser.pending_key()
    }

    /// A copy of what is known, as an ordinary value. What is pending is left out.
    ///
    /// It is for showing: this copy costs as much as the text is long. A string may still be open.
    pub fn to_value(self) -> Option<Value> {
        self.root()?.to_value()
    }
}

impl std::fmt::Debug for Snapshot<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Snapshot");
        shown
            .field("status", &self.status())
            .field("root", &self.root())
            .field("pending_key", &self.pending_key());
        shown.finish_non_exhaustive()
    }
}
