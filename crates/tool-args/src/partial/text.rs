//! Strings: each chunk is appended, and earlier text is not read again.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use windlass_partial_json::{JsonChange, Kind, NestedChange, Node};

use crate::mismatch::Mismatches;
use crate::partial::{FirstByteAction, Partial, PartialValue};

macro_rules! text {
    ($($text:ty),+) => {$(
        impl PartialValue for $text {
            type Growing = String;

            fn begin(kind: Kind) -> FirstByteAction<String> {
                if kind == Kind::String { FirstByteAction::Growing(String::new()) } else { FirstByteAction::Wrong("a string") }
            }

            #[inline]
            fn grow(growing: &mut String, step: &NestedChange<'_>, _: &mut Mismatches) {
                if let JsonChange::Grow { text } = step.change {
                    growing.push_str(text);
                }
            }

            fn end(growing: String, _: Node<'_>, _: &mut Mismatches) -> Result<Self, String> {
                Ok(growing.into())
            }

            fn whole(value: Node<'_>, _: &mut Mismatches) -> Option<Self> {
                value.as_str().map(|text| text.to_owned().into())
            }

            fn absent() -> Option<Self> {
                None
            }
        }
    )+};
}

text!(String, PathBuf, Cow<'static, str>, Box<str>);

impl<T: PartialValue<Growing = String> + AsRef<str>> Partial<T> {
    /// Returns the text that has arrived; empty if none has.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Missing => "",
            Self::Growing(text) => text,
            Self::Complete(text) => text.as_ref(),
        }
    }
}

impl Partial<PathBuf> {
    /// Returns the path that has arrived; empty if none has. A growing path is a prefix of the text and can
    /// name another file than the complete path.
    pub fn as_path(&self) -> &Path {
        match self {
            Self::Missing => Path::new(""),
            Self::Growing(text) => Path::new(text),
            Self::Complete(path) => path,
        }
    }
}
