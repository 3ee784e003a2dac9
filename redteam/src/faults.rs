//! Faults: which tests of the workspace show that one is survived. They are really run.

mod table;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context as _;
use serde::Deserialize;

use self::table::{Shown, TABLE};
use crate::observed::Ending;
use crate::report::Line;

#[derive(Deserialize)]
struct Catalogue {
    faults: Vec<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    id: String,
    group: String,
    #[serde(rename = "fault")]
    name: String,
    expected: String,
}

/// Runs a catalogue of faults. A fault is shown by its words, not by its number: another catalogue may count otherwise.
pub(crate) fn run(file: &Path, only: &[String]) -> anyhow::Result<Vec<Line>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the catalogue {} cannot be read", file.display()))?;
    let catalogue: Catalogue = serde_json::from_str(&text)
        .with_context(|| format!("{} is no catalogue of faults", file.display()))?;
    let chosen = |id: &str| only.is_empty() || only.iter().any(|only| id.starts_with(only.as_str()));
    let faults = catalogue.faults.into_iter().filter(|fault| chosen(&fault.id));
    Ok(faults.map(|fault| line(&fault)).collect())
}

fn line(fault: &Fault) -> Line {
    let began = Instant::now();
    let row = TABLE.iter().find(|row| row.group == fault.group && row.fault == fault.name);
    let ending = match row.map(|row| row.shown) {
        None => skipped("nothing is known that shows this"),
        Some(Shown::Later(issue)) => skipped(&format!("issue {issue} owns it")),
        Some(Shown::By(tests)) => shown(tests),
    };
    Line {
        id: fault.id.clone(),
        what: format!("{}: {}", fault.group, fault.name),
        expected: fault.expected.clone(),
        ending,
        seconds: began.elapsed().as_secs_f64(),
    }
}

fn skipped(why: &str) -> Ending {
    Ending::Skipped { why: why.to_owned() }
}

/// Every named test has to be there and to pass.
fn shown(tests: &[(&str, &str)]) -> Ending {
    let mut why = Vec::new();
    for (package, test) in tests {
        match run_test(package, test) {
            Ok(true) => {}
            Ok(false) => why.push(format!("{package}: {test} fails or is not there")),
            Err(error) => why.push(format!("{package}: {error:#}")),
        }
    }
    let observed = format!("{} of {} tests", tests.len().saturating_sub(why.len()), tests.len());
    if why.is_empty() { Ending::Passed { observed } } else { Ending::Failed { observed, why } }
}

/// Exactly one test has this path.
fn run_test(package: &str, test: &str) -> anyhow::Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--quiet", "--package", package, "--lib", "--bins", "--tests", "--", "--exact", test])
        .stdin(Stdio::null())
        .output()
        .context("cargo cannot be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let passed = said.lines().filter(|line| line.starts_with("test result: ok. 1 passed;")).count();
    Ok(output.status.success() && passed == 1)
}
