//! Headers of requests, with a mark for secret values.

use std::fmt;

/// Header of a request.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Name, in lower case.
    pub name: String,
    /// The value.
    pub value: String,
    /// True if the value is secret and must be neither shown nor stored.
    pub is_secret: bool,
}

impl Header {
    /// Returns a header. It is marked secret if its name suggests it: `authorization`, `x-api-key`, `cookie`.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        let mut name = name.into();
        name.make_ascii_lowercase();
        let is_secret = has_secret_name(&name);
        Self { name, value: value.into(), is_secret }
    }

    /// Returns a header that is marked secret.
    pub fn secret(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { is_secret: true, ..Self::new(name, value) }
    }
}

/// Returns true if a name in lower case contains a word of a secret. A gateway does this for each header, and `str::contains`
/// prepares a search for each word.
fn has_secret_name(name: &str) -> bool {
    const SECRETS: [&str; 5] = ["authorization", "cookie", "key", "token", "secret"];
    let name = name.as_bytes();
    let begins = |at: usize| {
        let rest = name.get(at..).unwrap_or_default();
        let has_first = |word: &&&str| word.as_bytes().first() == rest.first();
        SECRETS.iter().filter(has_first).any(|word| rest.starts_with(word.as_bytes()))
    };
    (0..name.len()).any(begins)
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, if self.is_secret { "(hidden)" } else { &self.value })
    }
}
