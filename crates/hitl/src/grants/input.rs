//! What a call gives to a process besides the command: code, files, texts for its input.

use serde_json::Value;
use windlass_command::{Command, quote};
use windlass_protocol::Payload;

/// Whether the command and its folder are all of the call that decides what runs.
pub(super) fn is_named(payload: &Payload, command: &str, directory: &str) -> bool {
    beside(payload, command, directory).is_empty()
}

/// Everything of the call that decides what runs besides the command and its folder, in one text; empty if nothing does.
///
/// A tool that runs what it is told has the command among its arguments. Its numbers are limits of time and size, which
/// decide when it ends. Of a tool whose command is made from other arguments every argument decides.
pub(super) fn beside(payload: &Payload, command: &str, directory: &str) -> String {
    let arguments = match payload {
        Payload::LocalShell { command: argv, .. } if joined(argv) == command => return String::new(),
        Payload::Function { arguments } => arguments.as_object(),
        _ => return payload.text(),
    };
    if arguments.is_empty() {
        return String::new();
    }
    if !arguments.values().any(|value| is_command(value, command)) {
        return payload.text();
    }
    let decides = |value: &Value| {
        let is_limit = matches!(value, Value::Number(_) | Value::Null | Value::Bool(false));
        !(is_limit || is_command(value, command) || is_folder(value, directory))
    };
    let mut rest: Vec<String> = arguments
        .iter()
        .filter(|(_, value)| decides(value))
        .map(|(name, value)| format!("{}:{value}", Value::from(name.as_str())))
        .collect();
    rest.sort_unstable();
    rest.join(",")
}

/// Whether an argument is the command: as it is, or as the words that it was made from.
fn is_command(value: &Value, command: &str) -> bool {
    match value {
        Value::String(text) => {
            text == command
                || Command::parse(text).is_ok_and(|parsed| {
                    parsed.single().is_some_and(|simple| joined(simple.argv()) == command)
                })
        }
        Value::Array(words) => {
            let words: Option<Vec<String>> =
                words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            words.is_some_and(|words| joined(&words) == command)
        }
        _ => false,
    }
}

/// Whether an argument is the folder, which the key names anyway.
fn is_folder(value: &Value, directory: &str) -> bool {
    let text = value.as_str().map(|text| text.trim_start_matches("./").trim_end_matches('/'));
    text.is_some_and(|text| text == directory || (directory == "." && text.is_empty()))
}

fn joined(argv: &[String]) -> String {
    argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}
