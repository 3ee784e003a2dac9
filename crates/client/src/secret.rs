//! What is secret of a client, and keeping it out of every text.

use std::borrow::Cow;

use secrecy::{ExposeSecret, SecretString};
use windlass_redact::Redactor;
use windlass_wire::ProviderError;

use crate::Endpoint;

/// A key that never shows itself, with everything else that no text may show.
#[derive(Clone)]
pub(crate) struct Key {
    key: Option<SecretString>,
    redactor: Redactor,
}

impl Key {
    /// The key, the endpoint's own headers that carry one, and what stands before the host of its address.
    pub(crate) fn new(key: Option<SecretString>, endpoint: &Endpoint) -> Self {
        let key = key.filter(|key| !key.expose_secret().is_empty());
        let mut redactor = Redactor::new(key.clone());
        redactor.extend(endpoint.secrets());
        Self { key, redactor }
    }

    /// The key itself, for the one header that carries it.
    pub(crate) fn expose(&self) -> Option<&str> {
        self.key.as_ref().map(ExposeSecret::expose_secret)
    }

    /// The text without the key, should a server have echoed it.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// A body without the key, before anything is cut from it: half a key is no longer found.
    pub(crate) fn redact_bytes(&self, body: Vec<u8>) -> Vec<u8> {
        match self.redactor.redact_bytes(&body) {
            Cow::Owned(clean) => clean,
            Cow::Borrowed(_) => body,
        }
    }

    /// What the provider said, as it was read: escapes of JSON can hide a key from whoever looks at the body.
    pub(crate) fn redact_error(&self, mut error: ProviderError) -> ProviderError {
        error.message = self.redact(&error.message);
        error.code = error.code.map(|code| self.redact(&code));
        error.parameter = error.parameter.map(|parameter| self.redact(&parameter));
        error
    }
}
