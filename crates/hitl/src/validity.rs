//! Stage 0 of a decision: calls that cannot be executed.

use windlass_command::MAX_SCAN_BYTES;
use windlass_protocol::Effect;

use crate::part::Part;
use crate::place::{LONGEST_PATH, components, is_reserved};
use crate::{Reason, Source};

/// Returns the reason why a part of a call is invalid, or `None` if it is valid.
pub(crate) fn invalid(part: &Part<'_>) -> Option<Reason> {
    match part.effect.as_ref() {
        Effect::Execute { command, directory } => command_is_invalid(command, directory),
        Effect::Connect { host, .. } => {
            let text = if host.is_empty() { "the host is missing" } else { find_nul(host)? };
            Some(refuse(if host.is_empty() { "v.empty" } else { "v.nul" }, text))
        }
        Effect::Custom { kind, target, amount } => {
            let unit = amount.as_ref().map_or("", |amount| amount.unit.as_str());
            custom_is_invalid(&[kind, target, unit])
        }
        effect => path_is_invalid(effect.path()?, effect),
    }
}

fn command_is_invalid(command: &str, directory: &str) -> Option<Reason> {
    if command.trim().is_empty() {
        return Some(refuse("v.empty", "the command is empty"));
    }
    if let Some(text) = find_nul(command).or_else(|| find_nul(directory)) {
        return Some(refuse("v.nul", text));
    }
    if command.len() > MAX_SCAN_BYTES {
        return Some(refuse("v.too_long", "the command is too long to be assessed"));
    }
    (directory.len() > LONGEST_PATH).then(|| refuse("v.too_long", "the folder is longer than any path"))
}

/// Checks the kind, the target and the unit of a custom effect.
fn custom_is_invalid(texts: &[&str]) -> Option<Reason> {
    if texts.first().is_none_or(|kind| kind.is_empty()) {
        return Some(refuse("v.empty", "the kind of the effect is empty"));
    }
    if let Some(text) = texts.iter().find_map(|text| find_nul(text)) {
        return Some(refuse("v.nul", text));
    }
    let is_too_long = texts.iter().any(|text| text.len() > LONGEST_PATH);
    is_too_long.then(|| refuse("v.too_long", "the name of the effect or of its target is too long"))
}

fn path_is_invalid(path: &str, effect: &Effect) -> Option<Reason> {
    if path.is_empty() {
        return Some(refuse("v.empty", "the path is empty"));
    }
    if let Some(text) = find_nul(path) {
        return Some(refuse("v.nul", text));
    }
    if path.len() > LONGEST_PATH {
        return Some(refuse("v.too_long", "the path is longer than any path"));
    }
    let writes = !effect.is_read();
    (writes && components(path).any(is_reserved))
        .then(|| refuse("v.reserved_name", "the name belongs to a device on some systems"))
}

fn find_nul(text: &str) -> Option<&'static str> {
    text.contains('\0').then_some(
        "it contains a NUL character, which names of files and programs cannot \
         contain",
    )
}

fn refuse(id: &str, text: &str) -> Reason {
    Reason::new(id, Source::Builtin, text)
}
