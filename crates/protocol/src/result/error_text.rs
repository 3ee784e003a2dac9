//! The text of an error in two parts: the problem, and the next step for the model.

use std::fmt;

/// The text of a failed call: the problem, for people and for the model, and the next step, for the model only.
///
/// `Display` writes the problem, which is what an interface displays.
///
/// ```
/// use windlass_protocol::ErrorText;
///
/// let error = ErrorText::new("`a.txt` does not exist").with_advice("List the folder.");
/// assert_eq!(error.to_string(), "`a.txt` does not exist");
/// assert_eq!(error.wire_text(), "`a.txt` does not exist\nList the folder.");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorText {
    /// The problem: what happened, and which of the call's effects took place.
    pub problem: String,
    /// The next step that is suggested to the model, as complete sentences.
    pub advice: Option<String>,
}

impl ErrorText {
    /// Creates a text without advice.
    pub fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), advice: None }
    }

    /// Appends a sentence to the advice. A sentence that the advice contains already is not repeated, so advice
    /// of several errors can be collected.
    pub fn with_advice(mut self, advice: impl Into<String>) -> Self {
        let advice = advice.into();
        match &mut self.advice {
            None => self.advice = Some(advice),
            Some(before) if before.contains(&advice) => {}
            Some(before) => {
                before.push(' ');
                before.push_str(&advice);
            }
        }
        self
    }

    /// Replaces the problem and keeps the advice, for an error that another part of the program puts into context.
    pub fn map_problem(self, change: impl FnOnce(String) -> String) -> Self {
        Self { problem: change(self.problem), advice: self.advice }
    }

    /// Returns the text for the model: the problem, and the advice on a line of its own.
    pub fn wire_text(&self) -> String {
        match &self.advice {
            Some(advice) => format!("{}\n{advice}", self.problem),
            None => self.problem.clone(),
        }
    }
}

impl fmt::Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl From<String> for ErrorText {
    fn from(problem: String) -> Self {
        Self::new(problem)
    }
}

impl From<&str> for ErrorText {
    fn from(problem: &str) -> Self {
        Self::new(problem)
    }
}
