//! Runs a command, passes its progress through and captures its lines.

use std::cell::RefCell;
use std::fmt::Display;
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
            say(line);
        }
    }
}

thread_local! {
    /// Lines that this thread collects, if it works beside another one that prints.
    static COLLECTED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Runs `work` and returns the lines that it and its commands would have printed from this thread.
pub(crate) fn collect<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    COLLECTED.set(Some(Vec::new()));
    let done = work();
    (done, COLLECTED.take().unwrap_or_default())
}

/// Prints a line, or keeps it if this thread collects its lines.
pub(crate) fn say(line: impl Display) {
    COLLECTED.with_borrow_mut(|collected| match collected {
        Some(lines) => lines.push(line.to_string()),
        None => println!("{line}"),
    });
}

fn is_collecting() -> bool {
    COLLECTED.with_borrow(Option::is_some)
}

/// Runs `cmd` and captures one stream. Prints the lines that `show` selects as they arrive.
pub(crate) fn run(cmd: Cmd<'_>, keep: Keep, show: fn(&str) -> bool) -> Result<CapturedOutput> {
    say(format_args!("$ {cmd}"));
    let text = cmd.to_string();
    let mut command = Command::from(cmd);
    command.stdin(Stdio::null());
    match keep {
        Keep::Stdout => command.stdout(Stdio::piped()),
        Keep::Stderr => command.stderr(Stdio::piped()),
    };
    if is_collecting() {
        // The other stream has progress only, which would mix with the lines of the printing thread.
        match keep {
            Keep::Stdout => command.stderr(Stdio::null()),
            Keep::Stderr => command.stdout(Stdio::null()),
        };
    }
    let mut child = command.spawn().with_context(|| format!("cannot start `{text}`"))?;
    let stream: Box<dyn Read> = match keep {
        Keep::Stdout => Box::new(child.stdout.take().context("stdout was piped")?),
        Keep::Stderr => Box::new(child.stderr.take().context("stderr was piped")?),
    };
    let lines = read_lines(stream, show)?;
    Ok(CapturedOutput { success: child.wait()?.success(), lines })
}

/// Runs `cmd` with both streams on the terminal, or collects them. Returns true if it succeeded.
pub(crate) fn pass_through(cmd: Cmd<'_>) -> Result<bool> {
    say(format_args!("$ {cmd}"));
    let text = cmd.to_string();
    let cannot_start = || format!("cannot start `{text}`");
    let mut command = Command::from(cmd);
    command.stdin(Stdio::null());
    if !is_collecting() {
        return Ok(command.status().with_context(cannot_start)?.success());
    }
    let (reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().with_context(cannot_start)?;
    // The command keeps the writing end open, and reading would never end.
    drop(command);
    read_lines(Box::new(reader), |_| true)?;
    Ok(child.wait()?.success())
}

/// Reads lines. Bytes that are not UTF-8, which test programs may print, are replaced.
pub(crate) fn read_lines(stream: Box<dyn Read>, show: fn(&str) -> bool) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut reader = BufReader::new(stream);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        if show(&line) {
            say(&line);
        }
        lines.push(line);
        bytes.clear();
    }
    Ok(lines)
}
