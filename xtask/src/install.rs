//! Cargo subcommands that the project uses, installed once, in a pinned version, into the project's own
//! folder.
//!
//! Subcommands that are already installed on the machine are not used: their versions are unknown, so
//! machines would behave differently.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::{Cmd, Shell, cmd};

use crate::capture;

/// A registry package that provides `cargo SUBCOMMAND`, with its pinned version.
#[derive(Clone, Copy)]
pub(crate) struct PinnedPackage {
    subcommand: &'static str,
    version: &'static str,
}

/// Checks licences, sources and duplicate packages.
pub(crate) const DENY: PinnedPackage = PinnedPackage { subcommand: "deny", version: "0.20.2" };
/// Builds and runs the fuzz targets.
pub(crate) const FUZZ: PinnedPackage = PinnedPackage { subcommand: "fuzz", version: "0.13.2" };
/// Compares public interfaces. Not a step of `ci`.
pub(crate) const SEMVER_CHECKS: PinnedPackage =
    PinnedPackage { subcommand: "semver-checks", version: "0.51.0" };

/// An installed subcommand, or instructions for installing it.
pub(crate) enum Tool {
    Ready(InstalledCommand),
    Missing { how_to: String },
}

/// The path of an installed subcommand.
#[derive(Clone)]
pub(crate) struct InstalledCommand {
    program: PathBuf,
    subcommand: &'static str,
}

impl InstalledCommand {
    /// Returns a call of the subcommand, in the form that `cargo SUBCOMMAND` uses.
    pub(crate) fn call<'a>(&self, sh: &'a Shell) -> Cmd<'a> {
        let (program, subcommand) = (&self.program, self.subcommand);
        cmd!(sh, "{program} {subcommand}")
    }
}

/// Returns the pinned program, and installs it first if it is missing. Installs a debug build, which compiles
/// in less than half the time; these programs mostly wait for other processes.
pub(crate) fn ensure(sh: &Shell, pinned: PinnedPackage) -> Result<Tool> {
    let PinnedPackage { subcommand, version } = pinned;
    let package = format!("cargo-{subcommand}");
    let folder = cargo_home(sh)?.join("windlass-tools").join(format!("{package}-{version}"));
    let installed = InstalledCommand { program: folder.join("bin").join(&package), subcommand };
    if installed.program.is_file() {
        return Ok(Tool::Ready(installed));
    }
    capture::say(format_args!("{package} {version} is missing: installing it once"));
    let requirement = format!("={version}");
    let words = ["--locked", "--debug", &package, "--version", &requirement];
    // The build of the tool must not fill the project's target folder.
    let install = cmd!(sh, "cargo install {words...} --root {folder}").env_remove("CARGO_TARGET_DIR");
    if capture::pass_through(install)? && installed.program.is_file() {
        return Ok(Tool::Ready(installed));
    }
    Ok(Tool::Missing {
        how_to: format!("{package} {version} cannot be installed: is the registry in reach?"),
    })
}

/// Returns the folder in which cargo stores downloads and programs.
pub(crate) fn cargo_home(sh: &Shell) -> Result<PathBuf> {
    if let Some(home) = sh.var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        return Ok(PathBuf::from(home));
    }
    Ok(std::env::home_dir().context("the home folder is unknown")?.join(".cargo"))
}
