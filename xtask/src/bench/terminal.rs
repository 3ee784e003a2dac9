//! `cargo xtask bench terminal`: measures the terminal program on a pseudo-terminal.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::capture;
use crate::ci::Outcome;
use crate::project::target;

pub(super) fn run(sh: &Shell) -> Result<ExitCode> {
    let is_built = capture::pass_through(cmd!(sh, "cargo build --release --locked -p windlass-cli"))?;
    ensure!(is_built, "the command line does not build");
    let windlass = target(sh).join("release/windlass");
    let measured = capture::pass_through(cmd!(sh, "python3 xtask/terminal/measure.py {windlass}"))?;
    Ok(Outcome::from_success(measured).exit_code())
}
