//! The verdict about a run, and the trait of what decides it.

use std::pin::Pin;

use serde::{Deserialize, Serialize};

use crate::{Attempt, BoxError};

/// The future of a grade.
pub type GradeFuture<'a> = Pin<Box<dyn Future<Output = Result<Grade, BoxError>> + Send + 'a>>;

/// Decides whether a run meets an expectation.
///
/// ```
/// use windlass_evals::{Attempt, Case, Grade, GradeFuture, Grader};
///
/// /// Expects an answer of few words.
/// struct Brief(usize);
///
/// impl Grader for Brief {
///     fn describe(&self) -> String {
///         format!("at most {} words", self.0)
///     }
///
///     fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a> {
///         let words = attempt.answer().split_whitespace().count();
///         Box::pin(async move { Ok(Grade::new(words <= self.0, format!("{words} words"))) })
///     }
/// }
/// let case = Case::new("brief", "Say hello.").expect(Brief(3));
/// # drop(case);
/// ```
pub trait Grader: Send + Sync {
    /// Describes the expectation in a line, for reports. Results are used again only while it is the same.
    fn describe(&self) -> String;

    /// Grades a run. An error means that the run could not be graded, for example because the judge did not answer.
    fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a>;
}

/// The verdict of a grader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grade {
    /// True if the run meets the expectation.
    pub passed: bool,
    /// The reason, for a person.
    pub reason: String,
    /// The usage of a model that graded.
    pub judge: JudgeUsage,
}

/// The usage of models that graded. It is separate from the usage of the graded runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct JudgeUsage {
    /// Number of requests.
    pub requests: u64,
    /// Number of tokens of requests and answers together.
    pub tokens: u64,
    /// Cost in millionths of the currency of the judge's prices.
    pub cost: u64,
}

impl JudgeUsage {
    pub(crate) fn plus(self, more: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(more.requests),
            tokens: self.tokens.saturating_add(more.tokens),
            cost: self.cost.saturating_add(more.cost),
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl Grade {
    /// Creates a grade with a reason.
    pub fn new(passed: bool, reason: impl Into<String>) -> Self {
        Self { passed, reason: reason.into(), judge: JudgeUsage::default() }
    }

    /// Sets the usage of a model that graded.
    pub fn with_judge(mut self, usage: JudgeUsage) -> Self {
        self.judge = usage;
        self
    }
}

impl From<bool> for Grade {
    fn from(passed: bool) -> Self {
        Self::new(passed, "")
    }
}

/// The code of a grader ended without a failed assertion.
impl From<()> for Grade {
    fn from((): ()) -> Self {
        Self::new(true, "")
    }
}

impl<E: std::fmt::Display> From<Result<(), E>> for Grade {
    fn from(result: Result<(), E>) -> Self {
        match result {
            Ok(()) => Self::new(true, ""),
            Err(error) => Self::new(false, error.to_string()),
        }
    }
}
