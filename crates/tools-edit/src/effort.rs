//! Limit on the work of one plan, so that a patch cannot use up the processor or the memory.

use std::cell::Cell;
use std::fmt;

use windlass_protocol::ErrorText;

/// Maximum number of line visits per plan. They take about a second in a release build: 2,000 hunks in a file
/// of 50,000 lines stay below the limit.
const MAX_VISITS: u64 = 100_000_000;
/// Maximum number of compared line pairs per plan, see [`Effort::can_compare`].
const MAX_PAIRS: u64 = 200_000_000;

/// Remaining budget of work for one plan.
pub(crate) struct Effort {
    visits: Cell<u64>,
    pairs: Cell<u64>,
    is_stopped: Option<Box<dyn Fn() -> bool + Send>>,
}

/// Reason why a plan was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Halt {
    #[error("too many lines have to be compared")]
    TooMuch,
    #[error("the call was stopped")]
    Stopped,
}

impl From<Halt> for ErrorText {
    fn from(halt: Halt) -> Self {
        let text = Self::new(halt.to_string());
        match halt {
            Halt::TooMuch => {
                text.with_advice("Make several calls of it, or give lines that occur in fewer places.")
            }
            Halt::Stopped => text,
        }
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self { visits: Cell::new(MAX_VISITS), pairs: Cell::new(MAX_PAIRS), is_stopped: None }
    }
}

impl Effort {
    /// Creates the default budget. The plan is also aborted as soon as `is_stopped` returns true.
    pub(crate) fn new(is_stopped: impl Fn() -> bool + Send + 'static) -> Self {
        Self { is_stopped: Some(Box::new(is_stopped)), ..Self::default() }
    }

    #[cfg(test)]
    pub(crate) fn with_visits(visits: u64) -> Self {
        Self { visits: Cell::new(visits), ..Self::default() }
    }

    /// Subtracts work from the budget before it is done. One call should cover at most one pass over a file.
    ///
    /// # Errors
    /// If the budget is exhausted, or the call was stopped.
    pub(crate) fn spend(&self, visits: usize) -> Result<(), Halt> {
        if self.is_stopped.as_ref().is_some_and(|is_stopped| is_stopped()) {
            return Err(Halt::Stopped);
        }
        let left = self.visits.get().checked_sub(visits as u64).ok_or(Halt::TooMuch)?;
        self.visits.set(left);
        Ok(())
    }

    /// Subtracts the cost of a line diff, whose worst case is quadratic in the number of lines. Returns false
    /// if it exceeds the budget: the caller then treats all lines as changed, which is correct and only less
    /// precise.
    pub(crate) fn can_compare(&self, lines: usize) -> bool {
        let cost = (lines as u64).saturating_mul(lines as u64);
        let left = self.pairs.get().checked_sub(cost);
        left.inspect(|left| self.pairs.set(*left)).is_some()
    }
}

impl fmt::Debug for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Effort").field("visits", &self.visits.get()).finish_non_exhaustive()
    }
}
