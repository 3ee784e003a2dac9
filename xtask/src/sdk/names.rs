//! The names of fields, events and stop reasons in the official libraries, beside the rows of the gateway's table.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ci::{Outcome, StepStatus};

const SCRIPT: &str = "xtask/sdk/names.py";
const TABLE: &str = "crates/gateway/SURVIVES.md";

/// Fails if a name of the libraries lacks a row.
pub(super) fn test(python: &Path) -> Result<Outcome> {
    let mut command = Command::new(python);
    command.args([SCRIPT, TABLE]).env("PYTHONDONTWRITEBYTECODE", "1").stderr(Stdio::inherit());
    let output = command.output()?;
    if !output.status.success() {
        bail!("{SCRIPT} did not end well");
    }
    summarize(&String::from_utf8_lossy(&output.stdout))
}

fn summarize(text: &str) -> Result<Outcome> {
    let (mut lines, mut failures, mut all) = (Vec::new(), Vec::new(), 0_usize);
    for line in text.lines() {
        let line: Value =
            serde_json::from_str(line).with_context(|| format!("the script printed {line:?}"))?;
        let word = |name: &str| line[name].as_str().unwrap_or_default();
        let missing = line["missing"].as_array().context("the script printed no list of names")?;
        let names = usize::try_from(line["names"].as_u64().unwrap_or_default())?;
        let known = names.saturating_sub(missing.len());
        let place = format!("{} of {}", word("section"), word("format"));
        lines.push(format!("corpus: {place}: {known} of {names} in {} have a row", word("library")));
        failures.extend(missing.iter().map(|name| format!("failed: {place}: {name} lacks a row in {TABLE}")));
        all = all.saturating_add(names);
    }
    let status = if failures.is_empty() && all > 0 { StepStatus::Passed } else { StepStatus::Failed };
    let note = format!("{} of {all} names of the libraries have a row", all.saturating_sub(failures.len()));
    lines.extend(failures);
    Ok(Outcome { lines, ..Outcome::new(status, note) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(missing: &str) -> String {
        format!(
            r#"{{"library":"openai 1","section":"Fields","format":"Chat","names":3,"missing":{missing}}}"#
        )
    }

    #[test]
    fn a_name_without_a_row_is_a_failure() {
        let outcome = summarize(&line("[]")).unwrap();
        assert_eq!(outcome.status, StepStatus::Passed);
        assert_eq!(outcome.lines, ["corpus: Fields of Chat: 3 of 3 in openai 1 have a row"]);
        let outcome = summarize(&line(r#"["new"]"#)).unwrap();
        assert_eq!(outcome.status, StepStatus::Failed);
        assert!(outcome.lines[1].contains("Fields of Chat: \"new\" lacks a row"), "{:?}", outcome.lines);
        assert_eq!(summarize("").unwrap().status, StepStatus::Failed);
    }
}
