//! Recorded answers of every format, translated by the proxy and decoded by the official libraries of the others.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::capture;
use crate::ci::{Outcome, StepStatus};

const SCRIPT: &str = "xtask/sdk/recorded/main.py";

/// The counts of one pair of formats.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    equal: usize,
    errors: usize,
    named: usize,
    differs: usize,
}

/// Runs all recordings whose names contain the word.
pub(super) fn test(python: &Path, windlass: &Path, corpora: &Path, word: &str) -> Result<Outcome> {
    let mut command = Command::new(python);
    command.arg(SCRIPT).arg(windlass).arg(corpora).arg(word).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let out = child.stdout.take().context("the script has no output")?;
    let lines = capture::read_lines(Box::new(out), |_| false)?;
    if !child.wait()?.success() {
        bail!("{SCRIPT} did not end well");
    }
    summarize(&lines)
}

/// Counts the lines of the script: one `corpus:` line for each pair, and one for each difference.
fn summarize(lines: &[String]) -> Result<Outcome> {
    let mut pairs: BTreeMap<(String, String), Counts> = BTreeMap::new();
    let (mut reasons, mut failures) = (BTreeMap::<String, usize>::new(), Vec::new());
    for line in lines {
        let line: Value =
            serde_json::from_str(line).with_context(|| format!("the script printed {line:?}"))?;
        let word = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let pair = (word("from"), word("to"));
        let counts = pairs.entry(pair).or_default();
        match line["verdict"].as_str() {
            Some("equal") => counts.equal += 1,
            Some("error") => counts.errors += 1,
            Some("named") => {
                counts.named += 1;
                *reasons.entry(word("words")).or_default() += 1;
            }
            _ => {
                counts.differs += 1;
                failures.push(format!(
                    "failed: {} to {}: {}: {}",
                    word("from"),
                    word("to"),
                    word("name"),
                    word("words")
                ));
            }
        }
    }
    let total = |count: fn(&Counts) -> usize| pairs.values().map(count).sum::<usize>();
    let (equal, errors) = (total(|counts| counts.equal), total(|counts| counts.errors));
    let (named, differs) = (total(|counts| counts.named), total(|counts| counts.differs));
    let mut report: Vec<String> =
        pairs.iter().map(|((from, to), counts)| describe(from, to, counts)).collect();
    report.extend(reasons.into_iter().map(|(reason, count)| format!("named ({count}): {reason}")));
    report.extend(failures);
    let status = match (differs, equal) {
        (1.., _) => StepStatus::Failed,
        (0, 0) => StepStatus::Skipped,
        _ => StepStatus::Passed,
    };
    let note = format!(
        "recorded answers: {equal} equal, {errors} errors as errors, {named} named, {differs} differ"
    );
    Ok(Outcome { lines: report, ..Outcome::new(status, note) })
}

fn describe(from: &str, to: &str, counts: &Counts) -> String {
    let Counts { equal, errors, named, differs } = counts;
    let all = equal.saturating_add(*errors).saturating_add(*named).saturating_add(*differs);
    let good = equal.saturating_add(*errors);
    let what = if from == to { "passed byte for byte" } else { "decoded alike by the official library" };
    format!("corpus: recorded {from} to {to}: {good} of {all} {what}, {errors} of them errors; {named} named")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(verdict: &str) -> String {
        format!(r#"{{"from":"gemini","to":"anthropic","name":"a","verdict":"{verdict}","words":"why"}}"#)
    }

    #[test]
    fn each_verdict_is_counted() {
        let outcome = summarize(&["equal", "error", "named", "equal"].map(line)).unwrap();
        assert_eq!(outcome.status, StepStatus::Passed);
        assert_eq!(
            outcome.lines,
            [
                "corpus: recorded gemini to anthropic: 3 of 4 decoded alike by the official library, \
                 1 of them errors; 1 named",
                "named (1): why",
            ]
        );
        let outcome = summarize(&["equal", "differs"].map(line)).unwrap();
        assert_eq!(outcome.status, StepStatus::Failed);
        assert_eq!(outcome.lines[1], "failed: gemini to anthropic: a: why");
    }

    #[test]
    fn a_line_that_is_not_of_the_script_is_an_error() {
        assert!(summarize(&["Traceback".to_owned()]).is_err());
    }
}
