//! Runs the conformance kit over several stores.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use windlass_testkit::durable::{ConformanceReport, MachineHarness, check};

use super::conform::check_processes;
use super::storage::{check_stores, with_address};

/// Options of the kit over several stores.
#[derive(Debug, clap::Args)]
pub(crate) struct Durable {
    /// The stores: memory, folder, sqlite, postgres.
    #[arg(long, value_delimiter = ',', default_value = "memory,folder,sqlite,postgres")]
    over: Vec<String>,
    /// A folder for the runs.
    #[arg(long)]
    scratch: PathBuf,
}

impl Durable {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        check_stores(&self.over, |name| {
            let began = Instant::now();
            let checked = check_store(name, &self.scratch.join("durable").join(name))?;
            let Some(checked) = checked else { return Ok(None) };
            for problem in &checked.problems {
                println!("FAILED {name}: {problem}");
            }
            let (runs, failed) = (checked.runs as usize, checked.problems.len());
            let seconds = began.elapsed().as_secs_f64();
            println!("{name}: {runs} runs, {} kills, {failed} problems, {seconds:.1} s", checked.kills);
            Ok(Some((runs.saturating_sub(failed), failed)))
        })
    }
}

/// Runs the kit over one store. `None` means that the machine cannot start it.
fn check_store(name: &str, scratch: &Path) -> anyhow::Result<Option<ConformanceReport>> {
    // A memory ends with its process, so the deaths are simulated in this process.
    if name == "memory" {
        return Ok(Some(check(&mut MachineHarness::default())));
    }
    with_address(name, scratch, |address| Ok(check_processes(scratch, address)?.0))
}
