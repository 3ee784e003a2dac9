//! Wrappers, which start another program. The inner program is assessed if its words are certain. A wrapper
//! that changes the identity, the words or the process of the inner program also adds a doubt.

use super::{DoubtKind, Effects, Recorder};
use crate::Command;

/// Assesses a wrapper and its inner program. Returns false if the program is not a wrapper.
pub(super) fn assess(effects: &mut Effects, name: &str, arguments: &[String], depth: usize) -> bool {
    let inner = match name {
        "env" | "nohup" | "command" | "setsid" | "exec" | "builtin" | "sudo" | "doas" | "stdbuf"
        | "xargs" => arguments,
        "nice" => match arguments {
            [option, number, rest @ ..] if option == "-n" && is_number(number) => rest,
            plain => plain,
        },
        "timeout" => match arguments {
            [seconds, rest @ ..] if is_duration(seconds) => rest,
            plain => plain,
        },
        "sh" | "bash" | "dash" => {
            shell(effects, name, arguments, depth);
            return true;
        }
        _ => return false,
    };
    // These wrappers do more than read: they change the identity, take words from the input, replace the
    // shell's own process image, or write the output to a file.
    if matches!(name, "sudo" | "doas" | "xargs" | "exec" | "builtin" | "setsid" | "nohup") {
        effects.doubt(DoubtKind::Runs, name, name);
    }
    match inner.first() {
        Some(program) if !program.starts_with('-') && !program.contains('=') => {
            effects.add_argv(inner, depth.saturating_add(1));
        }
        Some(word) => effects.doubt(DoubtKind::UnknownOption, name, word),
        // Without arguments, `env` prints the environment, and the others fail.
        None => effects.doubt(DoubtKind::Operand, name, name),
    }
    true
}

fn shell(effects: &mut Effects, name: &str, arguments: &[String], depth: usize) {
    let Some((text, reads_profile)) = shell_text(arguments) else {
        return effects.doubt(DoubtKind::Runs, name, name);
    };
    match Command::parse(text) {
        Ok(command) => effects.add_command(&command, depth.saturating_add(1)),
        Err(_) => return effects.doubt(DoubtKind::Runs, name, text),
    }
    // A login shell runs the profiles of the machine and of the home folder first.
    effects.sandbox |= reads_profile;
}

/// Returns the text that a shell runs, and whether the shell runs profiles before it. Returns `None` for other
/// options than those that only change how a text of literal words ends or is shown.
fn shell_text(arguments: &[String]) -> Option<(&str, bool)> {
    let mut reads_profile = false;
    let mut rest = arguments.iter();
    loop {
        let option = rest.next()?.as_str();
        if matches!(option, "--login" | "--norc" | "--noprofile" | "--posix") {
            reads_profile |= option == "--login";
            continue;
        }
        let letters = option.strip_prefix('-').filter(|letters| !letters.is_empty())?;
        if !letters.chars().all(|letter| "ceflouvx".contains(letter)) {
            return None;
        }
        reads_profile |= letters.contains('l');
        // Each `o` takes a name from the words that follow.
        for _ in letters.matches('o') {
            rest.next().filter(|name| SHELL_OPTIONS.contains(&name.as_str()))?;
        }
        if letters.contains('c') {
            return match rest.as_slice() {
                [text] => Some((text, reads_profile)),
                _ => None,
            };
        }
    }
}

/// Names of `-o` that change when a shell stops.
const SHELL_OPTIONS: [&str; 4] = ["errexit", "nounset", "pipefail", "posix"];

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_duration(word: &str) -> bool {
    let digits = word.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(word);
    digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
