//! The error of deserialisation: its message, its place, and whether more text can remove it.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use serde_core::de::{self, Expected, Unexpected};

use crate::node::{Completeness, Node};

/// The reason why the visible values do not fit a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeserializeError {
    details: Box<Details>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    message: String,
    /// The path of the innermost value that does not fit; `None` until the error leaves that value.
    path: Option<String>,
    is_transient: bool,
}

impl DeserializeError {
    /// Creates an error that more text can remove if it belongs to a value that is still open.
    fn transient(message: String) -> Self {
        Self { details: Box::new(Details { message, path: None, is_transient: true }) }
    }

    /// Creates an error that stays, whatever arrives.
    pub(super) fn permanent(message: impl Into<String>) -> Self {
        Self { details: Box::new(Details { message: message.into(), path: None, is_transient: false }) }
    }

    /// Adds the place, unless a value inside of `node` has already added it.
    pub(super) fn add_path(mut self, node: Node<'_>) -> Self {
        if self.details.path.is_none() {
            self.details.path = Some(node.path());
            self.details.is_transient = match node.completeness() {
                Completeness::Pending => true,
                Completeness::Growing => self.details.is_transient,
                Completeness::Complete => false,
            };
        }
        self
    }

    /// Marks the error as one of a text that has no value yet.
    pub(super) fn mark_incomplete(mut self) -> Self {
        self.details.is_transient = true;
        self
    }

    /// Returns whether more text can remove the error: the value at [`path`](Self::path) is still open, and its type
    /// is not the reason. Examples are a struct without one of its required fields, and the beginning of the name of
    /// a variant.
    pub fn is_incomplete(&self) -> bool {
        self.details.is_transient
    }

    /// Returns the path of the innermost value that does not fit, as a JSON Pointer (RFC 6901).
    pub fn path(&self) -> &str {
        self.details.path.as_deref().unwrap_or_default()
    }
}

impl de::Error for DeserializeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::transient(message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        // The first byte of a value determines its type.
        Self::permanent(format!("invalid type: {unexpected}, expected {expected}"))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        match expected {
            [] => Self::permanent(format!("unknown field `{field}`, the type has no fields")),
            _ => Self::permanent(format!("unknown field `{field}`, expected {}", expected.join(", "))),
        }
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::permanent(format!("duplicate field `{field}`"))
    }
}

impl fmt::Display for DeserializeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.details.message)?;
        match self.path() {
            "" => Ok(()),
            path => write!(formatter, " at {path}"),
        }
    }
}

impl core::error::Error for DeserializeError {}
