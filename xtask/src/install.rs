//! Cargo subcommands that the project uses and that are installed once when missing.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::capture;

/// Whether the tool can be used, and if not, what to do.
pub(crate) enum Tool {
    Ready,
    Missing { how_to: String },
}

/// Finds `cargo SUBCOMMAND`, or installs it into the ordinary cargo folder. A debug build: it
/// compiles in less than half the time, and these tools wait for others.
pub(crate) fn ensure(sh: &Shell, subcommand: &str) -> Result<Tool> {
    if is_there(sh, subcommand) {
        return Ok(Tool::Ready);
    }
    let package = format!("cargo-{subcommand}");
    println!("{package} is missing: installing it once");
    // The tool's own build must not fill the project's target folder.
    let install = cmd!(sh, "cargo install --locked --debug {package}").env_remove("CARGO_TARGET_DIR");
    if capture::pass_through(install)? && is_there(sh, subcommand) {
        return Ok(Tool::Ready);
    }
    let how_to = format!("install it with `cargo install --locked --debug {package}`");
    Ok(Tool::Missing { how_to })
}

fn is_there(sh: &Shell, subcommand: &str) -> bool {
    cmd!(sh, "cargo {subcommand} --version").quiet().ignore_stdout().ignore_stderr().run().is_ok()
}
