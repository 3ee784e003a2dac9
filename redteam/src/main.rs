//! Runs catalogues of attacks and faults against the built crates and the built program.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a harness: it prints, times, reads and writes files and starts processes"
)]

mod arguments;
mod catalogue;
mod report;
mod run;
mod supervise;

mod case;
mod observed;
mod scene;
mod setup;

mod engine;
mod lessons;
mod model;
mod rules;
mod session;
mod words;

mod decide;
mod execute;
mod prompt;
mod pseudo;

mod asserts;
mod confine;
mod guard;
mod processes;
mod snapshot;

mod crash;
mod faults;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::{Arguments, Work};

fn main() -> ExitCode {
    if let Some(ended) = confine::help() {
        return ended;
    }
    let ended = match Arguments::parse().work() {
        Work::Case(told) => told.run(),
        Work::Fault(told) => told.run(),
        Work::WriteOn(workspace) => faults::write_on(&workspace),
        Work::Crash(told) => told.run(),
        Work::Cancel(told) => told.run(),
        Work::Conform(told) => told.run(),
        Work::Cost(told) => told.run(),
        Work::Durable(told) => told.run(),
        Work::Fence(told) => told.run(),
        #[cfg(feature = "databases")]
        Work::Outage(told) => told.run(),
        #[cfg(feature = "databases")]
        Work::Suspended(told) => told.run(),
        Work::Owner(told) => told.run(),
        Work::Worker(told) => told.run(),
        Work::Victim(told) => told.run(),
        Work::StandBy => stand_by(),
        Work::ServeMcp(script) => pseudo::serve_mcp(&script),
        Work::Catalogues(chosen) => chosen.run(),
    };
    ended.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// Waits until its input ends.
#[expect(clippy::unnecessary_wraps, reason = "as all commands are")]
fn stand_by() -> anyhow::Result<ExitCode> {
    drop(std::io::read_to_string(std::io::stdin()));
    Ok(ExitCode::SUCCESS)
}
