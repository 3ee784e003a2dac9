//! Runs the conformance kit over several stores.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use windlass_testkit::durable::{Checked, MachineHarness, check};

use super::conform::check_processes;

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
        let (mut passed, mut failed, mut skipped) = (0_usize, 0_usize, 0_usize);
        for name in &self.over {
            let began = Instant::now();
            let Some(checked) = check_store(name, &self.scratch.join("durable").join(name))? else {
                skipped += 1;
                continue;
            };
            for problem in &checked.problems {
                println!("FAILED {name}: {problem}");
            }
            let (runs, problems) = (checked.runs as usize, checked.problems.len());
            let seconds = began.elapsed().as_secs_f64();
            println!("{name}: {runs} runs, {} kills, {problems} problems, {seconds:.1} s", checked.kills);
            passed += runs.saturating_sub(problems);
            failed += problems;
        }
        let note = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        println!("{passed} passed, {failed} failed{note}");
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Runs the kit over one store. `None` means that the machine cannot start it.
fn check_store(name: &str, scratch: &Path) -> anyhow::Result<Option<Checked>> {
    drop(std::fs::remove_dir_all(scratch));
    std::fs::create_dir_all(scratch)?;
    let over = |address: &str| Ok(Some(check_processes(scratch, address)?.0));
    match name {
        // A memory ends with its process, so the deaths are simulated in this process.
        "memory" => Ok(Some(check(&mut MachineHarness::default()))),
        "folder" => over(&scratch.join("store").display().to_string()),
        "sqlite" => over(&format!("sqlite://{}/runs.db", scratch.display())),
        "postgres" => with_postgres(|address| over(address)),
        name => bail!("there is no store {name:?}: memory, folder, sqlite, postgres"),
    }
}

/// Runs work with the address of a server that ends after it. Prints a line and returns `None` if the machine
/// has no PostgreSQL.
#[cfg(feature = "databases")]
pub(super) fn with_postgres<T>(
    work: impl FnOnce(&str) -> anyhow::Result<Option<T>>,
) -> anyhow::Result<Option<T>> {
    use windlass_testkit::Need;
    use windlass_testkit::postgres::PostgresServer;

    match Need::Postgres.check(PostgresServer::start()) {
        Some(server) => work(&server.url()),
        None => Ok(None),
    }
}

#[cfg(not(feature = "databases"))]
pub(super) fn with_postgres<T>(
    _: impl FnOnce(&str) -> anyhow::Result<Option<T>>,
) -> anyhow::Result<Option<T>> {
    bail!("this build lacks the feature `databases`")
}
