//! Checks faults: runs the workspace's tests that show that each fault is survived.

mod crash;
mod huge;
mod signals;
mod soak;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;

pub(crate) use self::crash::write_on;
use self::table::{FaultProof, Row, rows};
use crate::observed::{Ending, Skip};
use crate::processes;
use crate::report::Line;
use crate::scene::Scene;
use crate::supervise::{Ground, Job};

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

/// A fault that the harness injects itself.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum InjectedFault {
    /// Kills a writer at random moments.
    Crash,
    /// Reads files that are larger than the memory.
    Huge,
    /// Kills runs at every named point and at random moments, and resumes them.
    Kills,
    /// Sends signals to the program while a command runs.
    Signals,
    /// Performs ten thousand turns with random faults.
    Soak,
}

impl InjectedFault {
    fn job(self) -> Job {
        let name = match self {
            Self::Crash => "crash",
            Self::Huge => "huge",
            Self::Kills => "kills",
            Self::Signals => "signals",
            Self::Soak => "soak",
        };
        Job {
            name: format!("fault-{name}"),
            words: vec!["fault".into(), name.into()],
            environment: BTreeMap::new(),
            limit: Duration::from_mins(15),
        }
    }

    pub(crate) fn run(self, folder: &Path, template: &Path, program: Option<&Path>, secret: &str) -> Ending {
        processes::adopt_orphans();
        let injected = Scene::create(folder, template, secret).and_then(|scene| match self {
            Self::Crash => crash::run(&scene),
            Self::Huge => huge::run(&scene),
            Self::Kills => kills(&scene),
            Self::Signals => signals::run(&scene, program),
            Self::Soak => soak::run(&scene),
        });
        match injected {
            Ok(ending) => ending,
            Err(error) => match error.downcast_ref::<Skip>() {
                Some(skip) => skip_fault(&skip.0),
                None => Ending::Failed { observed: "nothing".to_owned(), why: vec![format!("{error:#}")] },
            },
        }
    }
}

/// Runs the kills of `cargo xtask crash`.
fn kills(scene: &Scene) -> anyhow::Result<Ending> {
    let (observed, why) = crate::crash::Crash::for_fault(&scene.workspace).count()?;
    Ok(end_fault(observed, why))
}

fn skip_fault(why: &str) -> Ending {
    Ending::Skipped { why: why.to_owned() }
}

/// Returns the ending of a fault, with its counts and its problems.
fn end_fault(observed: String, why: Vec<String>) -> Ending {
    if why.is_empty() { Ending::Passed { observed } } else { Ending::Failed { observed, why } }
}

/// The paths of the tests that passed, or the reason why they could not be run.
type Passed = Result<BTreeSet<String>, String>;

/// Runs a catalogue of faults. A fault is identified by its group and name and not by its id, because another
/// catalogue may number differently.
pub(crate) fn run(file: &Path, only: &[String], ground: &Ground) -> anyhow::Result<Vec<Line>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the catalogue {} cannot be read", file.display()))?;
    let catalogue: Catalogue = serde_json::from_str(&text)
        .with_context(|| format!("{} is no catalogue of faults", file.display()))?;
    let chosen = |id: &str| only.is_empty() || only.iter().any(|only| id.starts_with(only.as_str()));
    let faults: Vec<Fault> = catalogue.faults.into_iter().filter(|fault| chosen(&fault.id)).collect();
    let wanted = faults.iter().filter_map(find).flat_map(|row| match row.shown {
        FaultProof::By(tests) => tests,
        FaultProof::Here(_) => &[],
    });
    let passed = run_tests(&wanted.copied().collect());
    Ok(faults.iter().map(|fault| line(fault, &passed, ground)).collect())
}

fn find(fault: &Fault) -> Option<&'static Row> {
    rows().find(|row| row.group == fault.group && row.fault == fault.name)
}

fn line(fault: &Fault, passed: &Passed, ground: &Ground) -> Line {
    let ending = match find(fault).map(|row| row.shown) {
        None => skip_fault("no test is known that injects this"),
        Some(FaultProof::By(tests)) => evaluate(tests, passed),
        Some(FaultProof::Here(injected)) => ground.perform(&injected.job()),
    };
    Line {
        id: fault.id.clone(),
        what: format!("{}: {}", fault.group, fault.name),
        expected: fault.expected.clone(),
        ending,
        seconds: 0.0,
    }
}

/// Checks that every named test exists and passes.
fn evaluate(tests: &[(&str, &str)], passed: &Passed) -> Ending {
    let why: Vec<String> = match passed {
        Err(error) => vec![format!("the tests cannot be run: {error}")],
        Ok(passed) => {
            let missing = tests.iter().filter(|(_, test)| !passed.contains(*test));
            missing.map(|(package, test)| format!("{test} of {package} fails or is not there")).collect()
        }
    };
    let observed = format!("{} of {} tests", tests.len().saturating_sub(why.len()), tests.len());
    end_fault(observed, why)
}

/// Runs all tests in one invocation of cargo, because each set of crates is built separately.
fn run_tests(wanted: &BTreeSet<(&str, &str)>) -> Passed {
    if wanted.is_empty() {
        return Ok(BTreeSet::new());
    }
    let crates: BTreeSet<&str> = wanted.iter().map(|(package, _)| *package).collect();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--locked", "--no-fail-fast", "--tests"])
        .args(crates.iter().flat_map(|package| ["--package".to_owned(), format!("windlass-{package}")]))
        .args(["--", "--exact"])
        .args(wanted.iter().map(|(_, test)| *test))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let told = |end: &str| -> BTreeSet<String> {
        let lines = said.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(end));
        lines.map(str::to_owned).collect()
    };
    let passed = &told(" ... ok") - &told(" ... FAILED");
    if passed.is_empty() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let last = complaint.lines().rev().find(|line| line.starts_with("error"));
        return Err(last.unwrap_or("none of them passed").to_owned());
    }
    Ok(passed)
}
