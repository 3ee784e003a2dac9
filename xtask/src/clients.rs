//! `cargo xtask clients`: the libraries that people use converse through the proxy with upstreams of every format.

mod stack;
mod suites;
mod table;

use std::process::ExitCode;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::ci::{Outcome, StepStatus};
use crate::project::target;
use crate::{capture, npm};
use stack::{Mock, Stack};
use table::{Conversation, Verdict};

pub(crate) const HELP: &str = "\
cargo xtask clients [--mock NAME] [--only WORD]

Lets the libraries that people use converse through `windlass proxy`.

Behind the proxy is a mock, once in each of the four wire formats: `windlass mock`, and aimock (npm
@copilotkit/aimock), which another project wrote. A recorder between them proves that the upstream got
the system prompt and every result. The libraries are the official ones of Python and npm with their
streams, tool runners and chats, openai-agents, pydantic-ai, LangChain, litellm, instructor and AI SDK.
All are pinned, and installed once from npm and the Python package index into the target folder.

  --mock NAME  runs one mock only: windlass or aimock
  --only WORD  runs the conversations whose client and case contain the word";

const FOLDER: &str = "xtask/clients";
const SCRIPT: &str = "xtask/clients/script.json";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let mocks = match arguments.option("--mock")? {
        None => Mock::ALL.to_vec(),
        Some(name) => Mock::ALL.into_iter().filter(|mock| mock.name() == name).collect(),
    };
    if mocks.is_empty() {
        bail!("--mock takes windlass or aimock");
    }
    let only = arguments.option("--only")?.unwrap_or_default();
    arguments.finish()?;
    Ok(outcome(sh, &mocks, &only)?.exit_code())
}

fn outcome(sh: &Shell, mocks: &[Mock], only: &str) -> Result<Outcome> {
    let packages = match npm::ensure(sh, FOLDER, "clients")? {
        Ok(packages) => packages,
        Err(why) => return Ok(Outcome::new(StepStatus::Skipped, why)),
    };
    let scripts = suites::copy_scripts(sh, &packages)?;
    if !capture::pass_through(cmd!(sh, "cargo build --locked --quiet -p windlass-cli"))? {
        return Ok(Outcome::new(StepStatus::Failed, "the command line does not build"));
    }
    let windlass = target(sh).join("debug/windlass");
    let suites = suites::prepare(sh, &scripts)?;
    let mut lines: Vec<String> = suites.missing.iter().map(|why| format!("skipped: {why}")).collect();
    let mut all = Vec::new();
    for &mock in mocks {
        let stack = Stack::start(mock, &windlass, &scripts, SCRIPT)?;
        for suite in &suites.ready {
            all.extend(suite.run(mock.name(), &stack.to_json(), only)?);
        }
    }
    lines.extend(table::rows(&all));
    lines.extend(all.iter().filter_map(explain));
    Ok(Outcome { lines, ..verdict(&all) })
}

/// Returns the line of a conversation that did not pass.
fn explain(conversation: &Conversation) -> Option<String> {
    let Conversation { mock, client, case, upstream, verdict } = conversation;
    let (mark, why) = match verdict {
        Verdict::Passed => return None,
        Verdict::Failed(why) => ("failed", why),
        Verdict::Skipped(why) => ("skipped", why),
    };
    Some(format!("{mark}: {client}, {case}, before {upstream} of {mock}: {why}"))
}

fn verdict(all: &[Conversation]) -> Outcome {
    let passed = all.iter().filter(|conversation| conversation.verdict == Verdict::Passed).count();
    let failed = all.iter().filter(|conversation| conversation.is_failed()).count();
    let skipped = all.len().saturating_sub(passed).saturating_sub(failed);
    let status = match (passed, failed) {
        (_, 1..) => StepStatus::Failed,
        (0, 0) => StepStatus::Skipped,
        _ => StepStatus::Passed,
    };
    Outcome::new(status, format!("conversations: {passed} passed, {failed} failed, {skipped} skipped"))
}
