//! The key, and keeping it out of every text.

use secrecy::{ExposeSecret, SecretString};

/// A key that never shows itself.
#[derive(Clone)]
pub(crate) struct Key(Option<SecretString>);

impl Key {
    pub(crate) fn new(key: Option<SecretString>) -> Self {
        Self(key.filter(|key| !key.expose_secret().is_empty()))
    }

    /// The key itself, for the one header that carries it.
    pub(crate) fn expose(&self) -> Option<&str> {
        self.0.as_ref().map(ExposeSecret::expose_secret)
    }

    /// The text without the key, should a server have echoed it.
    pub(crate) fn redact(&self, text: &str) -> String {
        match self.expose() {
            Some(key) => text.replace(key, "[key]"),
            None => text.to_owned(),
        }
    }

    /// A body without the key, before anything is cut from it: half a key is no longer found.
    pub(crate) fn redact_bytes(&self, body: Vec<u8>) -> Vec<u8> {
        match (self.expose(), std::str::from_utf8(&body)) {
            (Some(key), Ok(text)) if text.contains(key) => self.redact(text).into_bytes(),
            _ => body,
        }
    }
}
