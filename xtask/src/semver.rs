//! `cargo xtask semver`: compares the public interface of a crate with that of an earlier revision.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use xshell::Shell;

use crate::arguments::Arguments;
use crate::capture;
use crate::install::{self, SEMVER_CHECKS, Tool};
use crate::project::Project;
use crate::release;

pub(crate) const HELP: &str = "\
cargo xtask semver CRATE --baseline-rev REVISION

Compares the public interface of a crate with that of an earlier revision.

Prints the version number that the changes require. Uses cargo-semver-checks, and installs its pinned version first if it is missing.

No crate is published yet, so a registry has no version to compare with and the revision is required. After the
first release, its tag is the revision. Not a step of ci.

CRATE is a folder of crates/, such as `sse`.

For example: `cargo xtask semver partial-json --baseline-rev HEAD~10`";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let revision = arguments.option("--baseline-rev")?;
    let name =
        arguments.word().context("which crate? for example `cargo xtask semver sse --baseline-rev HEAD`")?;
    arguments.finish()?;
    let revision = revision.context("no crate is published yet: give --baseline-rev REVISION")?;
    let project = Project::load(sh)?;
    let package = &release::find(&project, &name)?.name;
    let tool = match install::ensure(sh, SEMVER_CHECKS)? {
        Tool::Ready(tool) => tool,
        Tool::Missing { how_to } => bail!("{how_to}"),
    };
    let check = tool.call(sh).args(["--package", package, "--baseline-rev", &revision]);
    Ok(if capture::pass_through(check)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
