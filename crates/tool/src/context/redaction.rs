//! Removal of registered secrets from the output, progress and questions of a call.

use std::sync::{Arc, Mutex, PoisonError};

use windlass_redact::{RedactStream, Redactor};

use super::Context;

/// The secrets of a call.
#[derive(Clone)]
pub(super) struct Redaction {
    redactor: Redactor,
    /// Redactor of the streamed output. It keeps state because a secret can be split between two pieces.
    output: Arc<Mutex<RedactStream>>,
}

impl Redaction {
    fn new(redactor: Redactor) -> Self {
        Self { output: Arc::new(Mutex::new(redactor.stream())), redactor }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.redactor.is_empty()
    }

    pub(super) fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// Appends to the streamed output and returns the part of it that can be emitted.
    pub(super) fn push_output(&self, text: &str) -> String {
        let clean = self.output.lock().unwrap_or_else(PoisonError::into_inner).push(text.as_bytes());
        String::from_utf8_lossy(&clean).into_owned()
    }

    /// Returns the end of the streamed output, which was held back.
    pub(super) fn finish_output(&self) -> String {
        let rest = self.output.lock().unwrap_or_else(PoisonError::into_inner).finish();
        String::from_utf8_lossy(&rest).into_owned()
    }
}

impl Default for Redaction {
    fn default() -> Self {
        Self::new(Redactor::default())
    }
}

impl Context {
    /// Sets the secrets that no output may contain.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redaction = Redaction::new(redactor);
        self
    }

    /// Returns the secrets that no output may contain. The toolbox redacts the returned output. A tool that
    /// truncates its output or writes it to a file must redact it first, because a truncated secret is not
    /// recognized.
    pub fn redactor(&self) -> &Redactor {
        &self.redaction.redactor
    }
}
