//! Results of calls about a command: its exit code or state, and its output.

use std::fmt::Write as _;
use std::process::ExitStatus;

use windlass_protocol::ResultStatus;
use windlass_tool::{Output, ToolError};

use crate::kept::HeadAndTail;
use crate::running::{End, FinishedCommand, PrintedOutput};
use crate::stream::{Stream, describe_paging};

/// Returns the result for a command that has ended, with its complete output.
pub(crate) fn whole(finished: &FinishedCommand, printed: &PrintedOutput) -> Result<Output, ToolError> {
    let (status, mut text) = report_end(finished, printed)?;
    if printed.terminal().is_some() {
        text.push_str(&fresh(printed, usize::MAX));
        return Ok(Output::text(text).with_status(status));
    }
    let shown: Vec<_> = printed.streams.iter().map(Stream::show).collect();
    for (notice, _) in &shown {
        text.push_str(notice);
    }
    for (stream, (_, body)) in printed.streams.iter().zip(&shown) {
        append(&mut text, stream.name, body);
    }
    Ok(Output::text(text).with_status(status))
}

/// Returns the output since the last read, at most `most` bytes per stream, with notices of omitted parts.
pub(crate) fn fresh(printed: &PrintedOutput, most: usize) -> String {
    let mut text = String::new();
    for stream in &printed.streams {
        if let Some(file) = stream.spill_file() {
            let (total, lines) = stream.total();
            let (name, whole) = (stream.name, describe_paging(&file.name));
            // Writing to a string cannot fail.
            let _ = write!(text, "\n[{name} has {total} bytes in {lines} lines; in a file: {whole}]");
        }
    }
    for stream in &printed.streams {
        append(&mut text, stream.name, &clip(stream.fresh(), most));
    }
    text
}

/// Returns the head and the tail of a text that is longer than `most` bytes.
pub(crate) fn clip(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let mut kept = HeadAndTail::new(most.max(2));
    kept.push(text.as_bytes());
    kept.text()
}

fn append(text: &mut String, name: &str, body: &str) {
    if body.is_empty() {
        return;
    }
    match name {
        "stderr" => text.push_str(if text.ends_with('\n') { "[stderr]\n" } else { "\n[stderr]\n" }),
        _ => text.push('\n'),
    }
    text.push_str(body);
}

/// Returns the status and the first line of the result for a command that has ended.
pub(crate) fn report_end(
    finished: &FinishedCommand,
    printed: &PrintedOutput,
) -> Result<(ResultStatus, String), ToolError> {
    let level = printed.level;
    let (status, line) = match &finished.end {
        End::Exit(status) if status.success() => {
            (ResultStatus::Ok, format!("[exit code 0; sandbox: {level}]"))
        }
        End::Exit(status) => (ResultStatus::Error, format!("[{}; sandbox: {level}]", exit_words(*status))),
        End::TimedOut(limit) => (
            ResultStatus::TimedOut,
            format!(
                "[exit code 124: stopped after {} ms; sandbox: {level}; what it printed until then follows. Give a larger timeout_ms or a shorter command]",
                limit.as_millis()
            ),
        ),
        End::Idle(idle) => (
            ResultStatus::TimedOut,
            format!(
                "[stopped, because its output was not read for {} s; sandbox: {level}; what it printed \
                 until then follows]",
                idle.as_secs()
            ),
        ),
        End::DiskFull(left) => (
            ResultStatus::Error,
            format!(
                "[stopped, because it left {left}; sandbox: {level}; what it printed until then follows]"
            ),
        ),
        End::Stopped => (
            ResultStatus::Cancelled,
            format!("[stopped; sandbox: {level}; what it printed until then follows]"),
        ),
        End::Lost(words) => return Err(ToolError::model(words.clone())),
    };
    Ok((status, line + &finished.warning))
}

/// Returns the end of a command in a few words, for a list.
pub(crate) fn in_short(finished: &FinishedCommand) -> String {
    match &finished.end {
        End::Exit(status) => exit_words(*status),
        End::TimedOut(limit) => format!("stopped after {} ms", limit.as_millis()),
        End::Idle(_) => "stopped, because its output was not read".to_owned(),
        End::DiskFull(_) => "stopped, because it filled the disk".to_owned(),
        End::Stopped => "stopped".to_owned(),
        End::Lost(words) => words.clone(),
    }
}

fn exit_words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        // The helper reports a signal in the way of shells: 128 plus its number.
        Some(code @ 129..=192) => format!("exit code {code}, as of signal {}", code.saturating_sub(128)),
        Some(code) => format!("exit code {code}"),
        None => "no exit code".to_owned(),
    }
}
