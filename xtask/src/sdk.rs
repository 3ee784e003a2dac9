//! `cargo xtask sdk`: tests the providers' official Python libraries as clients of the mock and of the proxy.

mod names;
mod recorded;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;
use windlass_vendors::WireFormat;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::ci::{Outcome, StepStatus};
use crate::project::target;
use crate::server::Server;
use crate::{capture, corpora, venv};

pub(crate) const HELP: &str = "\
cargo xtask sdk [--recorded [WORD]]

Lets the official libraries (openai, anthropic, google-genai for Python) call tools through us.

Each does two streamed turns with two parallel calls, against `windlass mock` and against
`windlass proxy` before a mock of each wire format. The libraries are installed once from the
Python package index into the target folder; without python3 the command prints the reason and is skipped.

Then every recorded answer of the corpora is served as an upstream of each format, translated by the
proxy, and decoded by the library of each other format: text, calls, stop reason and usage must be those
that `windlass parse` reads in the recording, and within one format the bytes must be equal. The intended
differences are listed with their reasons in xtask/sdk/recorded/differences.json.

Each field of a request, event of a stream and stop reason in the types of these libraries must have a row
in crates/gateway/SURVIVES.md.

  --recorded [WORD]  runs the recorded answers only, or those whose names contain the word";

pub(crate) const REQUIREMENTS: &str = "xtask/sdk/requirements.txt";
const CLIENTS: &str = "xtask/sdk/two_turns.py";
const SCRIPT: &str = "xtask/sdk/script.json";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    if arguments.flag("--recorded") {
        let word = arguments.word().unwrap_or_default();
        arguments.finish()?;
        return Ok(test_recordings(sh, &word)?.exit_code());
    }
    arguments.finish()?;
    Ok(test(sh)?.exit_code())
}

/// Runs the conversations, the names and the recorded answers, as a step of `ci`.
pub(crate) fn test(sh: &Shell) -> Result<Outcome> {
    let conversations = conversations(sh)?;
    if conversations.status == StepStatus::Skipped {
        return Ok(conversations);
    }
    let names = match prepare(sh)? {
        Ok((python, _)) => names::test(&python)?,
        Err(outcome) => outcome,
    };
    Ok(Outcome::join(vec![conversations, names, test_recordings(sh, "")?]))
}

fn test_recordings(sh: &Shell, word: &str) -> Result<Outcome> {
    let Some(corpora) = corpora::folder(sh) else {
        return Ok(Outcome::new(StepStatus::Skipped, "recorded answers: the corpora are missing"));
    };
    match prepare(sh)? {
        Ok((python, windlass)) => recorded::test(&python, &windlass, &corpora, word),
        Err(outcome) => Ok(outcome),
    }
}

/// Returns the paths of Python with the libraries and of the command line, or the outcome without them.
fn prepare(sh: &Shell) -> Result<std::result::Result<(PathBuf, PathBuf), Outcome>> {
    let python = match venv::ensure(sh, REQUIREMENTS, "sdk-venv")? {
        Ok(programs) => programs.join("python"),
        Err(why) => return Ok(Err(Outcome::new(StepStatus::Skipped, why))),
    };
    if !capture::pass_through(cmd!(sh, "cargo build --locked --quiet -p windlass-cli"))? {
        return Ok(Err(Outcome::new(StepStatus::Failed, "the command line does not build")));
    }
    Ok(Ok((python, target(sh).join("debug/windlass"))))
}

/// Runs every library against every server, and reports one line per server.
fn conversations(sh: &Shell) -> Result<Outcome> {
    let (python, windlass) = match prepare(sh)? {
        Ok(paths) => paths,
        Err(outcome) => return Ok(outcome),
    };
    let mock = Server::start(&windlass, &["mock", "--script", SCRIPT, "--json"])?;
    let (mut lines, mut good, mut all) = (Vec::new(), 0_usize, 0_usize);
    let mut servers = vec![("windlass mock".to_owned(), None)];
    servers.extend(
        WireFormat::all().iter().map(|wire| (format!("windlass proxy before {}", wire.name()), Some(wire))),
    );
    for (name, behind) in servers {
        // Each proxy stops at the end of its iteration.
        let proxy = match behind {
            Some(wire) => Some(Server::start_proxy(&windlass, &mock.url, wire)?),
            None => None,
        };
        let url = proxy.as_ref().map_or(&mock.url, |proxy| &proxy.url);
        let told = clients(&python, url)?;
        let failed: Vec<&LibraryResult> = told.iter().filter(|told| !told.ok).collect();
        let words: Vec<String> = told.iter().map(|told| told.words.clone()).collect();
        lines.push(format!(
            "corpus: {name}: {} of {} ({})",
            told.len() - failed.len(),
            told.len(),
            words.join(", ")
        ));
        lines.extend(failed.iter().map(|told| format!("failed: {name}: {}: {}", told.words, told.error)));
        good += told.len() - failed.len();
        all += told.len();
    }
    let status = if good == all && all > 0 { StepStatus::Passed } else { StepStatus::Failed };
    Ok(Outcome { lines, ..Outcome::new(status, format!("{good} of {all} conversations")) })
}

/// The result of one library.
struct LibraryResult {
    words: String,
    ok: bool,
    error: String,
}

fn clients(python: &Path, url: &str) -> Result<Vec<LibraryResult>> {
    let output = Command::new(python).args([CLIENTS, url]).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = text.lines().map(|line| {
        let line: Value =
            serde_json::from_str(line).with_context(|| format!("the clients printed {line:?}"))?;
        let word = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let words = format!("{} {} {}", word("library"), word("version"), word("format"));
        Ok(LibraryResult { words, ok: line["ok"] == true, error: word("error") })
    });
    told.collect()
}
