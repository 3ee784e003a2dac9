//! Common programs that write: never proved harmless, but what they write is told.

use super::{DoubtKind, Effects};

/// What the operands are.
#[derive(Clone, Copy)]
enum Operands {
    Written,
    /// All but the last are read, the last is written.
    Copied,
    /// The first is a mode or an owner, the rest are written.
    Changed,
}

fn operands_of(name: &str) -> Option<Operands> {
    Some(match name {
        "touch" | "mkdir" | "rmdir" | "rm" | "unlink" | "tee" | "mv" | "truncate" | "shred" => {
            Operands::Written
        }
        "cp" | "ln" | "install" => Operands::Copied,
        "chmod" | "chown" | "chgrp" => Operands::Changed,
        _ => return None,
    })
}

/// Notes the operands of a program that writes; false if it is none of these.
pub(super) fn judge(effects: &mut Effects, name: &str, arguments: &[String]) -> bool {
    let Some(kind) = operands_of(name) else { return false };
    effects.doubt(DoubtKind::Writes, name, name);
    let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let before = arguments.get(..end).unwrap_or_default().iter();
    let behind = arguments.get(end..).unwrap_or_default().iter().skip(1);
    let mut operands = Vec::new();
    for word in before {
        match word.strip_prefix('-') {
            // An option may take the next word, so that word is told as an operand too.
            Some(_) => effects.doubt(DoubtKind::UnknownOption, name, word),
            None => operands.push(word.as_str()),
        }
    }
    operands.extend(behind.map(String::as_str));
    let (first, rest) = operands.split_first().map_or(("", [].as_slice()), |(first, rest)| (*first, rest));
    let (last, others) = operands.split_last().map_or(("", [].as_slice()), |(last, others)| (*last, others));
    match kind {
        Operands::Written => effects.writes.extend(operands.iter().map(|&path| path.to_owned())),
        Operands::Changed if first.is_empty() => {}
        Operands::Changed => effects.writes.extend(rest.iter().map(|&path| path.to_owned())),
        Operands::Copied if last.is_empty() => {}
        Operands::Copied => {
            for path in others {
                effects.read(path);
            }
            effects.writes.push(last.to_owned());
        }
    }
    true
}
