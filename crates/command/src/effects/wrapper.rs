//! Programs that start another one: looked through where the inner words are certain, a doubt in any case
//! where they change who runs it or with what.

use super::{DoubtKind, Effects};
use crate::Command;

/// Judges a wrapper and what it wraps; false if the program is none.
pub(super) fn judge(effects: &mut Effects, name: &str, arguments: &[String], depth: usize) -> bool {
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
    // What these add to the inner command is not reading: another identity, words from the input, a new process
    // image for the shell itself, a file for the output.
    if matches!(name, "sudo" | "doas" | "xargs" | "exec" | "builtin" | "setsid" | "nohup") {
        effects.doubt(DoubtKind::Runs, name, name);
    }
    match inner.first() {
        Some(program) if !program.starts_with('-') && !program.contains('=') => {
            effects.add_argv(inner, depth.saturating_add(1));
        }
        Some(word) => effects.doubt(DoubtKind::UnknownOption, name, word),
        // Alone, `env` prints the environment and the others complain.
        None => effects.doubt(DoubtKind::Operand, name, name),
    }
    true
}

fn shell(effects: &mut Effects, name: &str, arguments: &[String], depth: usize) {
    match arguments {
        [option, text] if option == "-c" => match Command::parse(text) {
            Ok(command) => effects.add_command(&command, depth.saturating_add(1)),
            Err(_) => effects.doubt(DoubtKind::Runs, name, text),
        },
        _ => effects.doubt(DoubtKind::Runs, name, name),
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_duration(word: &str) -> bool {
    let digits = word.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(word);
    digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
