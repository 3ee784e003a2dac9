//! `cargo xtask judges`: mocks, a gateway and servers of other projects judge the command line.

mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::ci::{Outcome, StepStatus};
use crate::project::target;
use crate::{capture, clients, mcp, npm, venv};
use table::Case;

pub(crate) const HELP: &str = "\
cargo xtask judges [--judge NAME] [--only WORD]

Lets programs that this project did not write judge `windlass run`.

  llmock (PyPI)   injects every fault that it has, in each wire format, and grades the retries
  aimock (npm)    with each kind of its chaos, for one request and for ever, in each wire format
  litellm (PyPI)  between a run in each wire format and `windlass mock` in three formats; a fault of its own is explained
  mcp             the servers of npm and PyPI: as `cargo xtask mcp --servers`

A table shows the message to the user and the exit code for each fault and format. All are pinned, and installed
once into the target folder.

  --judge NAME  runs one judge only
  --only WORD   runs the cases that contain the word";

const FOLDER: &str = "xtask/judges";
/// The judges in Python: the name, the script, and the folder of its packages below the target folder.
const JUDGES: [(&str, &str, &str); 3] = [
    ("llmock", "faults.py", "judges/llmock-venv"),
    ("aimock", "chaos.py", "judges/llmock-venv"),
    ("litellm", "litellm_between.py", "judges/litellm-venv"),
];
const MCP: &str = "mcp";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let judge = arguments.option("--judge")?;
    let only = arguments.option("--only")?.unwrap_or_default();
    arguments.finish()?;
    let is_chosen = |name: &str| judge.as_deref().is_none_or(|judge| judge == name);
    let names = JUDGES.iter().map(|(name, ..)| *name).chain([MCP]);
    if !names.into_iter().any(is_chosen) {
        bail!("--judge takes llmock, aimock, litellm or mcp");
    }
    let mut outcomes = Vec::new();
    if JUDGES.iter().any(|(name, ..)| is_chosen(name)) {
        if !capture::pass_through(cmd!(sh, "cargo build --locked --quiet -p windlass-cli"))? {
            bail!("the command line does not build");
        }
        let windlass = target(sh).join("debug/windlass");
        for (name, script, home) in JUDGES.into_iter().filter(|(name, ..)| is_chosen(name)) {
            outcomes.push(ask(sh, (name, script, home), &windlass, &only)?);
        }
    }
    if is_chosen(MCP) && only.is_empty() {
        outcomes.push(mcp::with_installed_servers(sh)?);
    }
    Ok(Outcome::join(outcomes).exit_code())
}

/// Runs the cases of one judge.
fn ask(sh: &Shell, (name, script, home): (&str, &str, &str), windlass: &Path, only: &str) -> Result<Outcome> {
    let file = home.trim_start_matches("judges/").trim_end_matches("-venv");
    let python = match venv::ensure(sh, &format!("{FOLDER}/{file}.txt"), home)? {
        Ok(programs) => programs.join("python"),
        Err(why) => return Ok(Outcome::new(StepStatus::Skipped, format!("{name}: {why}"))),
    };
    let mut command = Command::new(python);
    command.arg(format!("{FOLDER}/{script}")).arg(windlass);
    if name == "aimock" {
        match mock_folder(sh)? {
            Ok(folder) => command.arg(folder),
            Err(why) => return Ok(Outcome::new(StepStatus::Skipped, format!("{name}: {why}"))),
        };
    }
    command.arg(only).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {script}"))?;
    let out = child.stdout.take().context("the judge has no output")?;
    let lines = capture::read_lines(Box::new(out), |_| false)?;
    if !child.wait()?.success() {
        bail!("the judge {name} did not end well");
    }
    let cases: Result<Vec<Case>> = lines.iter().map(|line| Case::parse(line)).collect();
    Ok(table::summarize(name, &cases?))
}

/// Returns the folder with aimock and the script that starts it.
fn mock_folder(sh: &Shell) -> Result<std::result::Result<PathBuf, String>> {
    let packages = match npm::ensure(sh, clients::FOLDER, "clients")? {
        Ok(packages) => packages,
        Err(why) => return Ok(Err(why)),
    };
    clients::copy_scripts(sh, &packages).map(Ok)
}
