//! The cases of a judge as a table: faults by wire formats, with the exit code and the message to the user.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::ci::{Outcome, StepStatus};

/// One case of a judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    name: String,
    wire: String,
    is_passed: bool,
    /// The reasons why it failed, or the explanations of a judge's finding that is right.
    words: String,
    code: Option<i64>,
    /// The lines of the output that name the fault.
    user: Vec<String>,
}

impl Case {
    /// Parses a line of a judge's script.
    pub(super) fn parse(line: &str) -> Result<Self> {
        let parsed: Value =
            serde_json::from_str(line).with_context(|| format!("the judge printed {line:?}"))?;
        let word = |name: &str| parsed[name].as_str().unwrap_or_default().to_owned();
        let user = parsed["user"].as_array().into_iter().flatten();
        Ok(Self {
            name: word("case"),
            wire: word("wire"),
            is_passed: parsed["ok"] == true,
            words: word("words"),
            code: parsed["code"].as_i64(),
            user: user.filter_map(Value::as_str).map(str::to_owned).collect(),
        })
    }

    fn row(&self) -> String {
        let mark = if self.is_passed { "ok" } else { "FAILED" };
        let code = self.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        let user = self.user.first().map_or("", String::as_str);
        let Self { name, wire, words, .. } = self;
        let explained = if words.is_empty() { String::new() } else { format!(" [{words}]") };
        format!("{mark:<7}{name:<26}{wire:<18}{code:<5}{user}{explained}")
    }
}

/// Counts the cases, with a row for each.
pub(super) fn summarize(judge: &str, cases: &[Case]) -> Outcome {
    let failed = cases.iter().filter(|case| !case.is_passed).count();
    let explained = cases.iter().filter(|case| case.is_passed && !case.words.is_empty()).count();
    let passed = cases.len().saturating_sub(failed);
    let status = match (failed, passed) {
        (1.., _) => StepStatus::Failed,
        (0, 0) => StepStatus::Skipped,
        _ => StepStatus::Passed,
    };
    let lines = cases.iter().map(Case::row).collect();
    let note = format!("{judge}: {passed} of {}, {explained} with an explained warning", cases.len());
    Outcome { lines, ..Outcome::new(status, note) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(is_passed: bool, words: &str) -> Case {
        let line = format!(
            r#"{{"case":"status 500","wire":"gemini","ok":{is_passed},"words":"{words}","code":0,"user":["! 500"]}}"#
        );
        Case::parse(&line).unwrap()
    }

    #[test]
    fn cases_are_counted_by_result() {
        let outcome =
            summarize("llmock", &[case(true, ""), case(true, "stall: why"), case(false, "exit code 1")]);
        assert_eq!(outcome.status, StepStatus::Failed);
        assert_eq!(outcome.note, "llmock: 2 of 3, 1 with an explained warning");
        assert!(outcome.lines[2].starts_with("FAILED status 500"), "{:?}", outcome.lines);
        assert!(outcome.lines[1].ends_with("! 500 [stall: why]"), "{:?}", outcome.lines);
        assert_eq!(summarize("llmock", &[]).status, StepStatus::Skipped);
    }

    #[test]
    fn a_line_that_is_not_of_a_judge_is_an_error() {
        assert!(Case::parse("Traceback").is_err());
    }
}
