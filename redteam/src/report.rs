//! The report of a whole run: a line for each failure and each skip, and the totals.

use serde_json::{Value, json};

use crate::catalogue::{Case, Word};
use crate::observed::Ending;

/// One line of the report.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) id: String,
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) ending: Ending,
    pub(crate) seconds: f64,
}

/// The totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Line {
    pub(crate) fn from_case(case: &Case, ending: Ending, seconds: f64) -> Self {
        let accepted = Word::list(case.accept.iter().copied());
        let expected = format!("{} (accepted: {accepted})", case.expected.as_str());
        Self { id: case.id.clone(), what: case.tool.clone(), expected, ending, seconds }
    }

    fn json(&self) -> Value {
        let (ending, observed, why) = match &self.ending {
            Ending::Passed { observed } => ("passed", observed.as_str(), Vec::new()),
            Ending::Failed { observed, why } => ("failed", observed.as_str(), why.clone()),
            Ending::Skipped { why } => ("skipped", "", vec![why.clone()]),
        };
        json!({
            "id": self.id, "what": self.what, "ending": ending, "expected": self.expected,
            "observed": observed, "why": why, "seconds": self.seconds,
        })
    }

    fn print(&self) {
        match &self.ending {
            Ending::Passed { .. } => {}
            Ending::Failed { observed, why } => println!(
                "FAILED  {} {}: expected {}, observed {observed}: {}",
                self.id,
                self.what,
                self.expected,
                one_line(&why.join("; "))
            ),
            Ending::Skipped { why } => println!("skipped {} {}: {}", self.id, self.what, one_line(why)),
        }
    }
}

/// Joins the lines of a reason, because the report has one line for each case.
fn one_line(text: &str) -> String {
    windlass_hitl::display_safe(text).replace('\n', " / ")
}

/// Prints the lines and the totals.
pub(crate) fn print(lines: &[Line], is_json: bool) -> Sums {
    let mut sums = Sums::default();
    for line in lines {
        match line.ending {
            Ending::Passed { .. } => sums.passed = sums.passed.saturating_add(1),
            Ending::Failed { .. } => sums.failed = sums.failed.saturating_add(1),
            Ending::Skipped { .. } => sums.skipped = sums.skipped.saturating_add(1),
        }
        if is_json {
            println!("{}", line.json());
        } else {
            line.print();
        }
    }
    let Sums { passed, failed, skipped } = sums;
    if is_json {
        println!("{}", json!({"passed": passed, "failed": failed, "skipped": skipped}));
    } else {
        println!("{passed} passed, {failed} failed, {skipped} skipped");
    }
    sums
}
