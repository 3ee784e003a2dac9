//! `cargo xtask man`: the manual pages of the command line.

use std::process::ExitCode;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;

/// Folder for the pages, below the root of the project.
const FOLDER: &str = "target/man";

pub(crate) const HELP: &str = "cargo xtask man [--in FOLDER]

Writes the manual pages of `windlass` and its commands.

  --in FOLDER   folder for the pages; target/man by default. Read one with: man -l target/man/windlass-run.1";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let folder = arguments.folder("--in")?.unwrap_or_else(|| FOLDER.into());
    arguments.finish()?;
    cmd!(sh, "cargo run --quiet --package windlass-cli --features man -- man {folder}").run()?;
    Ok(ExitCode::SUCCESS)
}
