//! Writing to the terminal or into a pipe.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use anyhow::Context as _;
use serde::Serialize;
use windlass_hitl::escape_unsafe;

use crate::screen::{self, Channel};
use crate::{complaint, secrets};

/// Prints a value as one line of JSON.
pub(crate) fn line(value: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string(value).context("the output does not become JSON")?;
    json(&text)
}

/// Prints JSON text and a line feed. Characters that a terminal would act on become escapes of JSON, so the value stays
/// the same: serde escapes only C0 controls.
pub(crate) fn json(text: &str) -> anyhow::Result<()> {
    let mut safe = String::with_capacity(text.len().saturating_add(1));
    for character in text.chars() {
        let mut bytes = [0; 4];
        let plain = &*character.encode_utf8(&mut bytes);
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

/// Prints a file's content for a program, byte for byte; on a terminal it is made safe as all other text.
pub(crate) fn content(text: &str) -> anyhow::Result<()> {
    let channel = if io::stdout().is_terminal() { Channel::Out } else { Channel::Data };
    Ok(screen::write(channel, text)?)
}

/// Prints text for people, behind an open question if there is one.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    Ok(screen::write(Channel::Out, text)?)
}

/// Prints text for the human beside the output proper, without the secrets of the environment.
pub(crate) fn note(text: &str) {
    let text = secrets::known().redact(text);
    // Nothing can be done if even this is closed.
    let _ = screen::write(Channel::Err, &format!("{text}\n"));
}

/// Tells the human what failed, with its causes.
pub(crate) fn complain(error: &anyhow::Error) {
    // The program ends here, whatever is still asked.
    screen::release();
    note(&format!("error: {}", complaint::causes(error).join("\n  because: ")));
}

/// Whether the error is that nobody reads the output any more.
pub(crate) fn is_closed(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
