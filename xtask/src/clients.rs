//! `cargo xtask clients`: the libraries that people use converse through the proxy with upstreams of every format.

mod kind;
mod programs;
mod stack;
mod suites;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::ci::{Outcome, StepStatus};
use crate::project::target;
use crate::{capture, npm};
use kind::Kind;
use stack::{Mock, Stack};
pub(crate) use suites::copy_scripts;
use suites::{Extent, Suites};
use table::{Conversation, Verdict};

pub(crate) const HELP: &str = "\
cargo xtask clients [--kind KIND] [--mock NAME] [--only WORD] [--program FILE] [--short] [--write]

Lets the libraries and programs that people use converse through `windlass proxy`.

Behind the proxy is a mock, once in each of the four wire formats: `windlass mock`, and aimock (npm
@copilotkit/aimock), which another project wrote. A recorder between them proves that the upstream got
the system prompt and every result. Both mocks run at the same time. The libraries are the official ones of Python and npm with their
streams, tool runners and chats, openai-agents, pydantic-ai, LangChain, litellm, instructor and AI SDK.
The programs are Codex, Claude Code, Gemini CLI, Qwen Code, opencode, pi, Cline, aider and llm. Each runs
a command, writes and changes a file, calls an MCP server or starts a sub-agent, as the mock's script demands.
All are pinned, and installed once from npm and the Python package index into the target folder; the
programs take 2 GB.

  --kind KIND  runs one kind of clients only: libraries or programs
  --mock NAME  runs one mock only: windlass or aimock
  --only WORD  runs the conversations whose client and case contain the word
  --program FILE  runs this build of windlass; without it a build for development is made
  --short      runs the official libraries with `windlass mock` only; `cargo xtask ci` does the same
  --write      writes the results into docs/CLIENTS.md";

pub(crate) const FOLDER: &str = "xtask/clients";
/// The page with the results, between two lines that name their kind.
const PAGE: &str = "docs/CLIENTS.md";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let mocks = match arguments.option("--mock")? {
        None => Mock::ALL.to_vec(),
        Some(name) => Mock::ALL.into_iter().filter(|mock| mock.name() == name).collect(),
    };
    if mocks.is_empty() {
        bail!("--mock takes windlass or aimock");
    }
    let kinds = match arguments.option("--kind")? {
        None => Kind::ALL.to_vec(),
        Some(name) => Kind::ALL.into_iter().filter(|kind| kind.name() == name).collect(),
    };
    if kinds.is_empty() {
        bail!("--kind takes libraries or programs");
    }
    let only = arguments.option("--only")?.unwrap_or_default();
    let program = arguments.option("--program")?.map(PathBuf::from);
    let (is_short, writes) = (arguments.flag("--short"), arguments.flag("--write"));
    arguments.finish()?;
    if is_short {
        return Ok(test(sh)?.exit_code());
    }
    let extent = Extent::All;
    let selection = Selection { kinds: &kinds, mocks: &mocks, only: &only, extent, program };
    Ok(outcome(sh, &selection, writes)?.exit_code())
}

/// Runs the short form.
pub(crate) fn test(sh: &Shell) -> Result<Outcome> {
    let (kinds, mocks) = (&[Kind::Libraries], &[Mock::Own]);
    let extent = Extent::Official;
    outcome(sh, &Selection { kinds, mocks, only: "", extent, program: None }, false)
}

/// The conversations of a run.
struct Selection<'a> {
    kinds: &'a [Kind],
    mocks: &'a [Mock],
    only: &'a str,
    extent: Extent,
    /// The build of the command line, if it is not made first.
    program: Option<PathBuf>,
}

fn outcome(sh: &Shell, selection: &Selection<'_>, writes: bool) -> Result<Outcome> {
    let packages = match npm::ensure(sh, FOLDER, "clients")? {
        Ok(packages) => packages,
        Err(why) => return Ok(Outcome::new(StepStatus::Skipped, why)),
    };
    let scripts = copy_scripts(sh, &packages)?;
    let windlass = match &selection.program {
        Some(program) => program.clone(),
        None if capture::pass_through(cmd!(sh, "cargo build --locked --quiet -p windlass-cli"))? => {
            target(sh).join("debug/windlass")
        }
        None => return Ok(Outcome::new(StepStatus::Failed, "the command line does not build")),
    };
    let (mut lines, mut all) = (Vec::new(), Vec::new());
    for kind in selection.kinds {
        let suites = kind.prepare(sh, &scripts, selection.extent)?;
        lines.extend(suites.missing.iter().map(|why| format!("skipped: {why}")));
        let conversations = converse(selection, *kind, &suites, &windlass, &scripts)?;
        if writes {
            write_table(sh, *kind, &table::to_markdown(&conversations))?;
        }
        all.extend(conversations);
    }
    lines.extend(table::rows(&all));
    lines.extend(all.iter().filter_map(explain));
    Ok(Outcome { lines, ..verdict(&all) })
}

/// Runs the suites of a kind with all mocks at the same time.
fn converse(
    selection: &Selection<'_>,
    kind: Kind,
    suites: &Suites,
    windlass: &Path,
    scripts: &Path,
) -> Result<Vec<Conversation>> {
    let run = &|mock: Mock| -> Result<Vec<Conversation>> {
        let stack = Stack::start(mock, windlass, scripts, kind.script())?;
        let mut conversations = Vec::new();
        for suite in &suites.ready {
            conversations.extend(suite.run(mock.name(), &stack.to_json(), selection.only)?);
        }
        Ok(conversations)
    };
    thread::scope(|scope| {
        let running: Vec<_> = selection.mocks.iter().map(|&mock| scope.spawn(move || run(mock))).collect();
        let mut conversations = Vec::new();
        for thread in running {
            conversations.extend(thread.join().map_err(|_| anyhow!("a suite panicked"))??);
        }
        Ok(conversations)
    })
}

/// Replaces the table of a kind in the page.
fn write_table(sh: &Shell, kind: Kind, table: &str) -> Result<()> {
    let page = sh.read_file(PAGE)?;
    let (start, end) = (format!("<!-- {} -->\n", kind.name()), format!("<!-- end of {} -->\n", kind.name()));
    let split = page.split_once(&start).and_then(|(head, rest)| Some((head, rest.split_once(&end)?.1)));
    let (head, tail) = split.with_context(|| format!("{PAGE} has no place for the {}", kind.name()))?;
    Ok(sh.write_file(PAGE, format!("{head}{start}{table}{end}{tail}"))?)
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
