//! The summary table of `ci`, and its last line.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Outcome, StepStatus};

/// A finished step.
pub(super) struct FinishedStep {
    pub(super) name: &'static str,
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
    /// Processor time that all children used meanwhile, where the system counts it.
    pub(super) worked: Option<Duration>,
    /// Space on the disk at the end of the step.
    pub(super) free_gigabytes: Option<u64>,
}

impl FinishedStep {
    pub(super) fn row(&self) -> String {
        let status = match self.outcome.status {
            StepStatus::Passed => "ok",
            StepStatus::Failed => "FAILED",
            StepStatus::Skipped => "skipped",
        };
        let seconds = self.took.as_secs_f64();
        let worked = self.worked.map_or_else(String::new, |worked| format!("({:.0})", worked.as_secs_f64()));
        let free = self.free_gigabytes.map_or_else(String::new, |free| format!("{free} GB"));
        let note = &self.outcome.note;
        let row = format!("{:<19}{status:<9}{seconds:>7.1} s {worked:>7} {free:>7}  {note}", self.name);
        row.trim_end().to_owned()
    }
}

/// The content of the summary.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) steps: Vec<FinishedStep>,
    pub(super) left_out: Vec<&'static str>,
}

impl Summary {
    pub(super) fn count(&self, status: StepStatus) -> usize {
        self.steps.iter().filter(|step| step.outcome.status == status).count()
    }

    pub(super) fn text(&self, took: Duration) -> String {
        let mut text = String::new();
        for step in &self.steps {
            add(&mut text, &step.row());
        }
        for line in self.steps.iter().flat_map(|step| &step.outcome.lines) {
            add(&mut text, line);
        }
        if !self.left_out.is_empty() {
            add(&mut text, &format!("left out by --quick: {}", self.left_out.join(", ")));
        }
        add(&mut text, &format!("took {:.0} s", took.as_secs_f64()));
        text.push_str(&self.last_line());
        text
    }

    fn last_line(&self) -> String {
        let (passed, failed) = (self.count(StepStatus::Passed), self.count(StepStatus::Failed));
        let mut line = format!("{passed} passed, {failed} failed");
        let skipped = self.count(StepStatus::Skipped);
        if skipped > 0 {
            // Writing to a `String` cannot fail.
            let _ = write!(line, ", {skipped} skipped");
        }
        line
    }
}

fn add(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{Duration, FinishedStep, Outcome, StepStatus, Summary};

    #[track_caller]
    fn check_last_line(statuses: &[StepStatus], expected: &str) {
        let steps = statuses.iter().map(|&status| FinishedStep {
            name: "step",
            outcome: Outcome::new(status, "note"),
            took: Duration::from_millis(1500),
            worked: None,
            free_gigabytes: None,
        });
        let summary = Summary { steps: steps.collect(), left_out: vec!["slow"] };
        assert_eq!(summary.text(Duration::ZERO).lines().next_back(), Some(expected));
    }

    #[test]
    fn the_last_line_counts_steps() {
        check_last_line(&[StepStatus::Passed, StepStatus::Passed], "2 passed, 0 failed");
        check_last_line(&[StepStatus::Passed, StepStatus::Failed], "1 passed, 1 failed");
        check_last_line(&[StepStatus::Passed, StepStatus::Skipped], "1 passed, 0 failed, 1 skipped");
    }
}
