//! `cargo xtask acp`: drives `windlass acp` with clients of the Agent Client Protocol that other projects wrote.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::browser::summarize;
use crate::capture::{self, Keep};
use crate::ci::{Outcome, StepStatus};
use crate::npm;
use crate::project::target;

pub(crate) const HELP: &str = "\
cargo xtask acp [--only WORD] [--acpx FOLDER]

Drives `windlass acp` with the official library of the protocol and with the program acpx.

Whole sessions on a scripted provider: sign-in, prompts with pictures and files, permissions of all kinds,
diffs, plans, usage, cancellations, modes, options, forms, MCP servers and files of the client, terminals, and
stored sessions.
Each message of the agent is checked against the published schema, and the input of the model is
checked in the requests to the provider.

The packages (@agentclientprotocol/sdk, ajv) are installed once from the npm registry into the target
folder. Without npm the command says so and is skipped. acpx is not installed, because it needs node 22.13:
`npm install acpx node@22` in FOLDER brings both.

  --only WORD    runs the checks whose name contains the word
  --acpx FOLDER  also runs acpx, whose package is in FOLDER/node_modules";

const FOLDER: &str = "xtask/acp";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let only = arguments.option("--only")?;
    let acpx = arguments.folder("--acpx")?;
    arguments.finish()?;
    Ok(outcome(sh, only.as_deref(), acpx.as_deref())?.exit_code())
}

/// Runs all checks.
pub(crate) fn test(sh: &Shell) -> Result<Outcome> {
    outcome(sh, None, None)
}

fn outcome(sh: &Shell, only: Option<&str>, acpx: Option<&Path>) -> Result<Outcome> {
    let packages = match npm::ensure(sh, FOLDER, "acp")? {
        Ok(packages) => packages,
        Err(why) => return Ok(Outcome::new(StepStatus::Skipped, why)),
    };
    if !capture::pass_through(cmd!(sh, "cargo build --locked --quiet -p windlass-cli"))? {
        return Ok(Outcome::new(StepStatus::Failed, "the command line does not build"));
    }
    let windlass = target(sh).join("debug/windlass");
    let suite = cmd!(sh, "node {FOLDER}/suite.mjs {windlass}").args(only);
    let mut suite = suite.env("WINDLASS_ACP_PACKAGES", packages);
    if let Some(folder) = acpx {
        suite = suite.env("WINDLASS_ACPX", folder);
    }
    summarize(&capture::run(suite, Keep::Stdout, |_| false)?, "editor protocol")
}
