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
    pub fn new(name: impl AsRef<str>, value: impl Into<String>) -> Self {
        const SECRETS: [&str; 5] = ["authorization", "cookie", "key", "token", "secret"];
        let name = name.as_ref().to_ascii_lowercase();
        let is_secret = SECRETS.iter().any(|word| name.contains(word));
        Self { name, value: value.into(), is_secret }
    }

    /// Returns a header that is marked secret.
    pub fn secret(name: impl AsRef<str>, value: impl Into<String>) -> Self {
        Self { is_secret: true, ..Self::new(name, value) }
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, if self.is_secret { "(hidden)" } else { &self.value })
    }
}
