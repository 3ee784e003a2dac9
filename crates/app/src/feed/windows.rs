//! The windows that answered the questions of a run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The windows that answered and that the feed has not named yet, by the id of the question. The givers of answers and
/// the feed of a run share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerWindows {
    windows: Arc<Mutex<BTreeMap<String, String>>>,
}

impl AnswerWindows {
    /// Sets the window of an answer, before the run receives the answer.
    pub(crate) fn set(&self, question: impl Into<String>, window: impl Into<String>) {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner).insert(question.into(), window.into());
    }

    /// Returns the window of an answer, once.
    pub(super) fn take(&self, question: &str) -> Option<String> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner).remove(question)
    }
}
