//! The failure that the conformance kits of extension points return.

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A rule of an extension point that an implementation does not follow. `R` is the enum of the rules of one kit.
///
/// ```
/// use windlass_protocol::kit::RuleViolation;
///
/// let violation = RuleViolation::new("an answer ends with one finish", "the stream ended after 3 chunks");
/// assert_eq!(violation.to_string(), "an answer ends with one finish: the stream ended after 3 chunks");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct RuleViolation<R> {
    /// The rule.
    pub rule: R,
    /// The observation that violates the rule.
    pub found: String,
    /// The error that the implementation returned, if it returned one.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl<R> RuleViolation<R> {
    /// Creates a violation of a rule.
    pub fn new(rule: R, found: impl Into<String>) -> Self {
        Self { rule, found: found.into(), source: None }
    }

    /// Runs a method of an implementation. A panic violates `rule`.
    ///
    /// # Errors
    /// If the method panics.
    pub fn catch<T>(rule: R, method: &str, work: impl FnOnce() -> T) -> Result<T, Self> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|_| Self::new(rule, format!("`{method}` panicked")))
    }

    /// Sets the error that the implementation returned.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl<R: fmt::Display> fmt::Display for RuleViolation<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.found)
    }
}

impl<R: fmt::Debug + fmt::Display> Error for RuleViolation<R> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
