//! Notices of the program.

use std::time::Duration;

/// Notice of the program, which a conversation prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramNotice {
    /// The words. An equal notice is printed once.
    pub text: String,
    /// Reason and duration of a wait before the next request, for the countdown.
    pub wait: Option<(String, Duration)>,
}

impl ProgramNotice {
    /// Creates a notice.
    ///
    /// ```
    /// use std::time::Duration;
    /// use windlass_tui::ProgramNotice;
    ///
    /// let notice = ProgramNotice::new("status 429; retrying in 6 s");
    /// let notice = notice.with_wait("status 429", Duration::from_secs(6));
    /// assert!(notice.wait.is_some());
    /// ```
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), wait: None }
    }

    /// Adds the wait that the notice is about.
    pub fn with_wait(mut self, reason: impl Into<String>, wait: Duration) -> Self {
        self.wait = Some((reason.into(), wait));
        self
    }
}
