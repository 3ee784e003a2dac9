//! Object ids of git.

use std::fmt::{self, Write};

use sha2::{Digest, Sha256};

/// SHA-256 object id as git computes it: the hash of kind, length and content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Oid([u8; 32]);

impl Oid {
    /// Returns the id of a file's content.
    pub(crate) fn hash_blob(bytes: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(format!("blob {}\0", bytes.len()));
        hash.update(bytes);
        Self(hash.finalize().into())
    }

    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok().filter(|text| text.len() == 64)?;
        let mut bytes = [0; 32];
        for (byte, place) in bytes.iter_mut().zip((0_usize..64).step_by(2)) {
            let digits = text.get(place..place.saturating_add(2))?;
            if digits.starts_with('+') {
                return None;
            }
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('#')?;
        self.0.iter().take(6).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Object of an entry in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    pub(crate) oid: Oid,
}

/// Kind of an entry in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    File,
    Program,
    Link,
}

impl ObjectKind {
    pub(crate) fn mode(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Program => "100755",
            Self::Link => "120000",
        }
    }

    pub(crate) fn from_mode(mode: &[u8]) -> Option<Self> {
        match mode {
            b"100644" => Some(Self::File),
            b"100755" => Some(Self::Program),
            b"120000" => Some(Self::Link),
            _ => None,
        }
    }
}
