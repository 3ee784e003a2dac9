//! The secrets of a client, and their removal from texts.

use std::borrow::Cow;

use secrecy::{ExposeSecret, SecretString};
use windlass_redact::Redactor;
use windlass_vendors::Endpoint;
use windlass_wire::ProviderError;

/// The API key, and a redactor that also knows all other secrets of the endpoint.
#[derive(Clone)]
pub(crate) struct Key {
    key: Option<SecretString>,
    redactor: Redactor,
}

impl Key {
    /// Collects the key, the endpoint's headers that carry a key, and the password in its URL.
    pub(crate) fn new(key: Option<SecretString>, endpoint: &Endpoint) -> Self {
        let key = key.filter(|key| !key.expose_secret().is_empty());
        let mut redactor = Redactor::new(key.clone());
        redactor.extend(endpoint.secrets());
        Self { key, redactor }
    }

    /// Returns the key in plain text, for the one header that carries it.
    pub(crate) fn expose(&self) -> Option<&str> {
        self.key.as_ref().map(ExposeSecret::expose_secret)
    }

    /// Removes the secrets from a text, in case a server repeats them.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// Removes the secrets from a text, which is not copied if it has none.
    pub(crate) fn redact_text(&self, text: String) -> String {
        match self.redactor.redact(&text) {
            Cow::Owned(clean) => clean,
            Cow::Borrowed(_) => text,
        }
    }

    /// Removes the secrets from a body. Call it before the body is cut: the redactor does not find half a
    /// key.
    pub(crate) fn redact_bytes(&self, body: Vec<u8>) -> Vec<u8> {
        match self.redactor.redact_bytes(&body) {
            Cow::Owned(clean) => clean,
            Cow::Borrowed(_) => body,
        }
    }

    /// Removes the secrets from a parsed error: JSON escapes in the body can hide a key from
    /// [`Self::redact_bytes`].
    pub(crate) fn redact_error(&self, mut error: ProviderError) -> ProviderError {
        error.message = self.redact(&error.message);
        error.code = error.code.map(|code| self.redact(&code));
        error.parameter = error.parameter.map(|parameter| self.redact(&parameter));
        error
    }
}
