//! Graders of the calls that a run made.

use std::future::ready;

use crate::{Attempt, Grade, GradeFuture, Grader};

/// Grades the calls of a run: see [`calls`] and [`never_calls`].
#[derive(Clone, Debug)]
pub struct CallGrader {
    tool: String,
    is_expected: bool,
}

/// Expects at least one successful call of a tool.
pub fn calls(tool: impl Into<String>) -> CallGrader {
    CallGrader { tool: tool.into(), is_expected: true }
}

/// Expects that the model does not call a tool, not even a call that is denied.
pub fn never_calls(tool: impl Into<String>) -> CallGrader {
    CallGrader { tool: tool.into(), is_expected: false }
}

impl Grader for CallGrader {
    fn describe(&self) -> String {
        format!("{} {}", if self.is_expected { "calls" } else { "never calls" }, self.tool)
    }

    fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a> {
        let made = attempt.calls();
        let of_tool = || made.iter().filter(|call| call.tool == self.tool);
        let passed = if self.is_expected {
            of_tool().any(|call| call.status.is_some_and(windlass_protocol::ResultStatus::is_ok))
        } else {
            of_tool().next().is_none()
        };
        let list: Vec<String> = made
            .iter()
            .map(|call| {
                format!("{} ({})", call.tool, call.status.map_or("no result", |status| status.as_str()))
            })
            .collect();
        let reason = match (passed, list.is_empty()) {
            (true, _) => String::new(),
            (false, true) => "the run made no calls".to_owned(),
            (false, false) => format!("the run called {}", list.join(", ")),
        };
        Box::pin(ready(Ok(Grade::new(passed, reason))))
    }
}
