//! Writes to the terminal or to a pipe.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;
use windlass_app::{causes, secrets};
use windlass_hitl::escape_unsafe;

use crate::paint::Painted;
use crate::remedies::find_remedy;
use crate::screen::{self, Channel};

/// Beginning of a note about something that the user can correct.
const WARNING: &str = "warning: ";

/// Prints a value as one line of JSON.
pub(crate) fn line(value: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string(value).context("the output cannot be serialized as JSON")?;
    json(&text)
}

/// Prints JSON text on one line. Escapes the characters that a terminal interprets, because serde escapes only C0
/// controls, and replaces line breaks by spaces: the arguments of a call are printed as the model wrote them, with line
/// breaks between their members. The value stays equal.
pub(crate) fn json(text: &str) -> anyhow::Result<()> {
    let mut safe = String::with_capacity(text.len().saturating_add(1));
    for character in text.chars() {
        let mut bytes = [0; 4];
        let plain = &*character.encode_utf8(&mut bytes);
        if matches!(character, '\n' | '\r' | '\t') {
            // Replace only white space between values; strings contain escapes instead of it.
            safe.push(' ');
            continue;
        }
        if escape_unsafe(plain) == plain {
            safe.push_str(plain);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    safe.push('\n');
    Ok(screen::write(Channel::Data, &safe)?)
}

/// Prints a file's content, unchanged for a program and escaped on a terminal.
pub(crate) fn content(text: &str) -> anyhow::Result<()> {
    let channel = if io::stdout().is_terminal() { Channel::Out } else { Channel::Data };
    Ok(screen::write(channel, text)?)
}

/// Prints text for people, after an open question if there is one.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    Ok(screen::write(Channel::Out, text)?)
}

/// Prints text with styles, after an open question if there is one.
pub(crate) fn print_painted(text: &Painted) -> anyhow::Result<()> {
    Ok(screen::write_painted(text)?)
}

/// Prints a note to standard error, without the secrets of the environment. A warning is printed only once: a
/// command can read the same configuration several times, for example to check a run's settings before the run
/// has a folder.
pub(crate) fn note(text: &str) {
    note_wait(text, None);
}

/// Like [`note`], for a note about a wait, with the time until it ends.
pub(crate) fn note_wait(text: &str, wait: Option<Duration>) {
    if text.starts_with(WARNING) && !is_first(text) {
        return;
    }
    let text = secrets::environment_redactor().redact(text);
    tracing::info!("{text}");
    screen::write_note(format!("{text}\n"), wait);
}

/// Returns true for the first of several equal texts.
fn is_first(text: &str) -> bool {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    PRINTED.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned())
}

/// Prints an error with its causes.
pub(crate) fn complain(error: &anyhow::Error) {
    // The program ends here, so an open question must not hold the error back.
    screen::release();
    let remedy = find_remedy(error).map(|words| format!("; {words}")).unwrap_or_default();
    note(&format!("error: {}{remedy}", causes(error.as_ref()).join("\n  because: ")));
}

/// Returns true if the error is a broken pipe.
pub(crate) fn is_closed(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
