//! Checks faults: runs the workspace's tests that show that each fault is survived.

mod crash;
mod huge;
mod signals;
mod soak;
mod table;
mod test_run;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;

pub(crate) use self::crash::write_on;
use self::table::{FaultProof, Row, rows};
use self::test_run::{TestName, TestRun};
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

/// Runs a catalogue of faults. A fault is identified by its group and name and not by its id, because another
/// catalogue may number differently.
pub(crate) fn run(file: &Path, only: &[String], ground: &Ground) -> anyhow::Result<Vec<Line>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the catalogue {} cannot be read", file.display()))?;
    let catalogue: Catalogue = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a catalogue of faults", file.display()))?;
    let chosen = |id: &str| only.is_empty() || only.iter().any(|only| id.starts_with(only.as_str()));
    let faults: Vec<Fault> = catalogue.faults.into_iter().filter(|fault| chosen(&fault.id)).collect();
    let wanted = faults.iter().filter_map(find).flat_map(|row| match row.shown {
        FaultProof::By(tests) => tests,
        FaultProof::Here(_) => &[],
    });
    let run = TestRun::run_tests(&wanted.copied().collect());
    Ok(faults.iter().map(|fault| line(fault, &run, ground)).collect())
}

fn find(fault: &Fault) -> Option<&'static Row> {
    rows().find(|row| row.group == fault.group && row.fault == fault.name)
}

fn line(fault: &Fault, run: &TestRun, ground: &Ground) -> Line {
    let ending = match find(fault).map(|row| row.shown) {
        None => skip_fault("no test is known that injects this"),
        Some(FaultProof::By(tests)) => evaluate(tests, run),
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
fn evaluate(tests: &[TestName], run: &TestRun) -> Ending {
    let why: Vec<String> = tests.iter().filter_map(|test| run.problem(*test)).collect();
    let observed = format!("{} of {} tests", tests.len().saturating_sub(why.len()), tests.len());
    end_fault(observed, why)
}
