//! `cargo xtask picture`: draws the README's picture from a run of the demo.

mod screen;
mod svg;

use std::process::ExitCode;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::project;

pub(crate) const HELP: &str = "\
cargo xtask picture [--check]

Runs the demo and draws its output as a terminal window, docs/demo.svg.

The picture shows parts of the run: the task, an edit with its diff, the result and the summary; `⋯`
replaces the lines between them, and `…` paths, ports, times and ids, which differ in each run. Two runs
of one program draw the same bytes. The machine must be able to confine commands, because the demo gives
other reasons for its questions where it cannot. The run's journal is kept in the target folder.

  --check  writes nothing, and fails if a run today would give another picture

For example, after a change of the demo's output: `cargo xtask picture`, then look at the file in a browser";

/// The picture that the README shows.
const FILE: &str = "docs/demo.svg";

/// The title of the window: the command that was run, as a user types it.
const TITLE: &str = "cargo run -- demo --yes";

const DESCRIPTION: &str = "\
A terminal window with lines from a run of the Windlass demo. An agent gets the task of finding out why a \
check fails. It calls a tool that edits a file, the call is approved, and the tool answers with a diff. The \
agent completes the task. Then come a list of decisions, each with the rule that made it and the reason, the \
number of tokens, and the result of the check: it passes.";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let is_check = arguments.flag("--check");
    arguments.finish()?;
    let lines = screen::picture_lines(&run_demo(sh)?)?;
    let picture = svg::draw(TITLE, DESCRIPTION, &lines);
    if is_check {
        return check(sh, &picture);
    }
    sh.write_file(FILE, &picture)?;
    println!("wrote {FILE}: {} lines, {} bytes", lines.len(), picture.len());
    Ok(ExitCode::SUCCESS)
}

/// Runs the demo and returns the lines of its standard output. A pipe is enough: on a terminal the demo prints
/// the same words with styles, and does not move the cursor.
fn run_demo(sh: &Shell) -> Result<Vec<String>> {
    let state = project::target(sh).join("picture");
    let mut demo = cmd!(sh, "cargo run --quiet --locked -- demo --yes").env("XDG_STATE_HOME", state);
    // The user's settings must not show in the picture.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("WINDLASS") {
            demo = demo.env_remove(name);
        }
    }
    let captured = capture::run(demo, Keep::Stdout, |_| false)?;
    if !captured.success {
        captured.print();
        bail!("the demo failed");
    }
    Ok(captured.lines)
}

/// Compares the file with the picture of today's run.
fn check(sh: &Shell, picture: &str) -> Result<ExitCode> {
    if !sh.path_exists(FILE) {
        println!("{FILE} is missing: `cargo xtask picture` draws it");
        return Ok(ExitCode::FAILURE);
    }
    let Some(difference) = first_difference(&sh.read_file(FILE)?, picture) else {
        println!("{FILE} shows the output of a run today");
        return Ok(ExitCode::SUCCESS);
    };
    println!("{FILE} is old: `cargo xtask picture` draws it again\n{difference}");
    Ok(ExitCode::FAILURE)
}

/// Returns the first line that differs, in both versions, or `None` if the texts are equal.
fn first_difference(kept: &str, drawn: &str) -> Option<String> {
    if kept == drawn {
        return None;
    }
    let (mut kept, mut drawn) = (kept.split('\n'), drawn.split('\n'));
    let mut number: usize = 1;
    loop {
        let pair = (kept.next(), drawn.next());
        if pair.0 != pair.1 {
            let show = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
            return Some(format!("line {number}\n  file: {}\n  run:  {}", show(pair.0), show(pair.1)));
        }
        number = number.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn equal_pictures_have_no_difference() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
    }

    #[test]
    fn the_first_line_that_differs_is_shown_from_both() {
        let difference = first_difference("a\nb\nc\n", "a\nB\nC\n").unwrap();
        assert_eq!(difference, "line 2\n  file: b\n  run:  B");
    }

    #[test]
    fn a_file_that_was_cut_differs_where_it_ends() {
        let difference = first_difference("a\n", "a\nb\n").unwrap();
        assert_eq!(difference, "line 2\n  file: \n  run:  b");
        assert_eq!(first_difference("a\n", "a").unwrap(), "line 2\n  file: \n  run:  (the end)");
    }
}
