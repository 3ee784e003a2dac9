//! Input of a process besides its command: code, files, and text for its standard input.

use serde_json::Value;
use windlass_command::{Command, quote};
use windlass_protocol::Payload;

/// Returns whether the command and its folder alone decide what runs.
pub(super) fn is_named(payload: &Payload, command: &str, directory: &str) -> bool {
    other_inputs(payload, command, directory).is_empty()
}

/// Returns everything besides the command and its folder that decides what runs, as one text; empty if
/// nothing else does.
///
/// If one argument is the command, numbers, `null` and `false` are left out: they are limits of time and
/// size, which decide when the process ends. If the tool composes the command from other arguments, every
/// argument counts.
pub(super) fn other_inputs(payload: &Payload, command: &str, directory: &str) -> String {
    let arguments = match payload {
        Payload::LocalShell { command: argv, .. } if join_words(argv) == command => return String::new(),
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

/// Returns whether an argument is the command, as one text or as a list of its words.
fn is_command(value: &Value, command: &str) -> bool {
    match value {
        Value::String(text) => {
            text == command
                || Command::parse(text).is_ok_and(|parsed| {
                    parsed.single().is_some_and(|simple| join_words(simple.argv()) == command)
                })
        }
        Value::Array(words) => {
            let words: Option<Vec<String>> =
                words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            words.is_some_and(|words| join_words(&words) == command)
        }
        _ => false,
    }
}

/// Returns whether an argument is the folder, which the key contains already.
fn is_folder(value: &Value, directory: &str) -> bool {
    let text = value.as_str().map(|text| text.trim_start_matches("./").trim_end_matches('/'));
    text.is_some_and(|text| text == directory || (directory == "." && text.is_empty()))
}

fn join_words(argv: &[String]) -> String {
    argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}
