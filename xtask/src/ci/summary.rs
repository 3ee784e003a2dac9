//! The summary table of `ci`, and its last line.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Outcome, Verdict};

/// A finished step.
pub(super) struct FinishedStep {
    pub(super) name: &'static str,
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
}

impl FinishedStep {
    pub(super) fn row(&self) -> String {
        let verdict = match self.outcome.verdict {
            Verdict::Passed => "ok",
            Verdict::Failed => "FAILED",
            Verdict::Skipped => "skipped",
        };
        let seconds = self.took.as_secs_f64();
        format!("{:<19}{verdict:<9}{seconds:>7.1} s  {}", self.name, self.outcome.note).trim_end().to_owned()
    }
}

/// The content of the summary.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) steps: Vec<FinishedStep>,
    pub(super) left_out: Vec<&'static str>,
}

impl Summary {
    pub(super) fn count(&self, verdict: Verdict) -> usize {
        self.steps.iter().filter(|step| step.outcome.verdict == verdict).count()
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
        let (passed, failed) = (self.count(Verdict::Passed), self.count(Verdict::Failed));
        let mut line = format!("{passed} passed, {failed} failed");
        let skipped = self.count(Verdict::Skipped);
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
    use super::{Duration, FinishedStep, Outcome, Summary, Verdict};

    #[track_caller]
    fn check_last_line(verdicts: &[Verdict], expected: &str) {
        let steps = verdicts.iter().map(|&verdict| FinishedStep {
            name: "step",
            outcome: Outcome::new(verdict, "note"),
            took: Duration::from_millis(1500),
        });
        let summary = Summary { steps: steps.collect(), left_out: vec!["slow"] };
        assert_eq!(summary.text(Duration::ZERO).lines().next_back(), Some(expected));
    }

    #[test]
    fn the_last_line_counts_steps() {
        check_last_line(&[Verdict::Passed, Verdict::Passed], "2 passed, 0 failed");
        check_last_line(&[Verdict::Passed, Verdict::Failed], "1 passed, 1 failed");
        check_last_line(&[Verdict::Passed, Verdict::Skipped], "1 passed, 0 failed, 1 skipped");
    }
}
