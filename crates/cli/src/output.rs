//! Writing to the terminal or into a pipe.

use std::io::{self, Write};

use anyhow::Context as _;
use serde::Serialize;

use crate::secrets;

/// Prints a value as one line of JSON.
pub(crate) fn line(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string(value).context("the output does not become JSON")?;
    text.push('\n');
    print(&text)
}

/// Prints text as it is, at once.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints text for the human beside the output proper, without the secrets of the environment.
pub(crate) fn note(text: &str) {
    let text = secrets::known().redact(text);
    // Nothing can be done if even this is closed.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Tells the human what failed, with its causes.
pub(crate) fn complain(error: &anyhow::Error) {
    let mut text = format!("error: {error}");
    let mut last = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !last.contains(&cause) {
            text.push_str("\n  because: ");
            text.push_str(&cause);
        }
        last = cause;
    }
    note(&text);
}

/// Whether the error is that nobody reads the output any more.
pub(crate) fn is_closed(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
