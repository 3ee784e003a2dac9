//! Runs a command, passes its progress through and captures its lines.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use xshell::Cmd;

/// The stream to capture; the other one goes to the terminal.
#[derive(Clone, Copy)]
pub(crate) enum Keep {
    Stdout,
    Stderr,
}

/// The captured output of a command, and its success.
pub(crate) struct CapturedOutput {
    pub(crate) success: bool,
    pub(crate) lines: Vec<String>,
}

impl CapturedOutput {
    /// Prints all captured lines, for a command that failed.
    pub(crate) fn print(&self) {
        for line in &self.lines {
            println!("{line}");
        }
    }
}

/// Runs `cmd` and captures one stream. Prints the lines that `show` selects as they arrive.
pub(crate) fn run(cmd: Cmd<'_>, keep: Keep, show: fn(&str) -> bool) -> Result<CapturedOutput> {
    println!("$ {cmd}");
    let text = cmd.to_string();
    let mut command = Command::from(cmd);
    command.stdin(Stdio::null());
    match keep {
        Keep::Stdout => command.stdout(Stdio::piped()),
        Keep::Stderr => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().with_context(|| format!("cannot start `{text}`"))?;
    let stream: Box<dyn Read> = match keep {
        Keep::Stdout => Box::new(child.stdout.take().context("stdout was piped")?),
        Keep::Stderr => Box::new(child.stderr.take().context("stderr was piped")?),
    };
    let lines = read_lines(stream, show)?;
    Ok(CapturedOutput { success: child.wait()?.success(), lines })
}

/// Runs `cmd` with both streams on the terminal. Returns true if it succeeded.
pub(crate) fn pass_through(cmd: Cmd<'_>) -> Result<bool> {
    println!("$ {cmd}");
    let text = cmd.to_string();
    let status = Command::from(cmd).stdin(Stdio::null()).status();
    Ok(status.with_context(|| format!("cannot start `{text}`"))?.success())
}

/// Reads lines. Bytes that are not UTF-8, which test programs may print, are replaced.
pub(crate) fn read_lines(stream: Box<dyn Read>, show: fn(&str) -> bool) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut reader = BufReader::new(stream);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        if show(&line) {
            println!("{line}");
        }
        lines.push(line);
        bytes.clear();
    }
    Ok(lines)
}
