//! `cargo xtask browser`: drives the web page in a browser, and the other front ends with their official libraries.

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::{Outcome, StepStatus};
use crate::project::target;
use crate::{needs, npm};

pub(crate) const HELP: &str = "\
cargo xtask browser [--only WORD] [--short] [--page]

Drives the front ends on a scripted provider with a browser and with their official libraries.

The front ends are the page, `windlass acp`, and the example servers of windlass-ui-stream with `useChat` and
the client of AG-UI.

The libraries (playwright-core, @agentclientprotocol/sdk, @ai-sdk/react, @ag-ui/client) are installed once from
the npm registry into the target folder. Without them, or without a Chromium on this machine, the
command prints the reason and is skipped.
Pictures of the page are in target/browser/pictures.

  --only WORD  runs the checks whose name contains the word
  --short      runs one check of each kind: picture, stream, answer, attack, editor, libraries
  --page       takes the files of the page from the sources, not from the built program";

/// The checks of the short form.
const SHORT: [&str; 7] =
    ["phone in dark mode", "reload", "two pages", "every text", "editor: a session", "useChat", "AG-UI"];

const FOLDER: &str = "xtask/browser";
const PAGE: &str = "crates/server/src/page";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let only = arguments.option("--only")?;
    let page = arguments.flag("--page");
    let mut names: Vec<&str> = only.as_deref().into_iter().collect();
    if arguments.flag("--short") {
        names.extend(SHORT);
    }
    arguments.finish()?;
    Ok(outcome(sh, &names, page)?.exit_code())
}

/// Runs the short form.
pub(crate) fn test(sh: &Shell) -> Result<Outcome> {
    outcome(sh, &SHORT, false)
}

fn outcome(sh: &Shell, names: &[&str], page: bool) -> Result<Outcome> {
    let Some(browser) = needs::find_browser() else {
        let why = "no Chromium is installed: install one to test the page";
        return Ok(Outcome::new(StepStatus::Skipped, why));
    };
    let packages = match npm::ensure(sh, FOLDER, "browser")? {
        Ok(packages) => packages,
        Err(why) => return Ok(Outcome::new(StepStatus::Skipped, why)),
    };
    for program in [["-p", "windlass-cli"].as_slice(), &["-p", "windlass-ui-stream", "--examples"]] {
        if !capture::pass_through(cmd!(sh, "cargo build --locked --quiet {program...}"))? {
            return Ok(Outcome::new(StepStatus::Failed, "the programs do not build"));
        }
    }
    let windlass = target(sh).join("debug/windlass");
    let pictures = target(sh).join("browser/pictures");
    let mut suite = cmd!(sh, "node {FOLDER}/suite.mjs {windlass} {browser} {pictures}")
        .args(names)
        .env("WINDLASS_BROWSER_PACKAGES", packages)
        .env("WINDLASS_BROWSER_EXAMPLES", target(sh).join("debug/examples"));
    if page {
        suite = suite.env("WINDLASS_PAGE_FOLDER", PAGE);
    }
    summarize(&capture::run(suite, Keep::Stdout, |_| false)?, "front ends")
}

/// Counts the checks of a suite, and lists those that failed or could not run and the measurements of the others.
pub(crate) fn summarize(output: &capture::CapturedOutput, of: &str) -> Result<Outcome> {
    let (mut lines, mut good, mut all) = (Vec::new(), 0_usize, 0_usize);
    for line in &output.lines {
        let check: Value =
            serde_json::from_str(line).with_context(|| format!("the suite printed {line:?}"))?;
        let word = |name: &str| check[name].as_str().unwrap_or_default();
        if let Some(why) = check["skipped"].as_str() {
            lines.push(format!("skipped: {}: {why}", word("check")));
            continue;
        }
        let is_good = check["ok"] == true;
        all = all.saturating_add(1);
        good = good.saturating_add(usize::from(is_good));
        let mark = if is_good { "corpus" } else { "failed" };
        lines.push(format!("{mark}: {} ({} ms): {}", word("check"), check["ms"], word("words")));
    }
    let is_passed = output.success && good == all && all > 0;
    let status = if is_passed { StepStatus::Passed } else { StepStatus::Failed };
    Ok(Outcome { lines, ..Outcome::new(status, format!("{good} of {all} checks of the {of}")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(lines: &[&str], success: bool) -> StepStatus {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        summarize(&capture::CapturedOutput { success, lines }, "page").unwrap().status
    }

    #[test]
    fn a_skipped_check_is_not_a_pass() {
        let skipped = r#"{"check":"b","ms":1,"skipped":"it needs node 22.13"}"#;
        assert_eq!(status(&[skipped], true), StepStatus::Failed);
        let lines = vec![r#"{"check":"a","ms":1,"ok":true,"words":""}"#.to_owned(), skipped.to_owned()];
        let outcome = summarize(&capture::CapturedOutput { success: true, lines }, "page").unwrap();
        assert_eq!(
            (outcome.status, outcome.note.as_str()),
            (StepStatus::Passed, "1 of 1 checks of the page")
        );
        assert_eq!(outcome.lines[1], "skipped: b: it needs node 22.13");
    }

    #[test]
    fn a_suite_passes_only_if_every_check_passed() {
        let good = r#"{"check":"a","ms":1,"ok":true,"words":""}"#;
        let bad = r#"{"check":"b","ms":1,"ok":false,"words":"it is red"}"#;
        assert_eq!(status(&[good], true), StepStatus::Passed);
        assert_eq!(status(&[good, bad], true), StepStatus::Failed);
        assert_eq!(status(&[good], false), StepStatus::Failed);
        assert_eq!(status(&[], true), StepStatus::Failed);
    }
}
