//! Programs with unproven effects: each of their words may be a path that they touch.

use super::{Recorder, TouchKind};

/// Records the paths that a program may touch. For archivers and programs that copy between machines the list
/// is more precise.
pub(super) fn assess<'a>(effects: &mut impl Recorder<'a>, name: &str, arguments: &'a [String]) {
    match name {
        "rsync" | "scp" => {
            let mut operands: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
            if let Some(target) = operands.pop() {
                effects.write_tree(target);
            }
            for source in operands {
                effects.touch(TouchKind::Read, source, true);
            }
        }
        "dd" => {
            for word in arguments {
                match word.split_once('=') {
                    Some(("of", path)) => effects.write(path),
                    Some(("if", path)) => effects.read(path),
                    _ => {}
                }
            }
        }
        // Archivers unpack into the folder in which the command runs.
        "tar" | "bsdtar" | "gtar" | "unzip" | "cpio" | "7z" => {
            effects.may_touch(TouchKind::Write, ".");
            trees(effects, arguments);
        }
        "zip" | "gzip" | "xz" | "zstd" | "bzip2" | "ag" | "ack" | "ug" | "fd" | "fdfind" => {
            trees(effects, arguments);
        }
        _ => {}
    }
    for word in arguments {
        record_word(effects, word);
    }
}

/// Records that each operand may be read with everything below it.
fn trees<'a>(effects: &mut impl Recorder<'a>, arguments: &'a [String]) {
    let operands = arguments.iter().filter(|word| !word.starts_with('-'));
    operands.for_each(|word| effects.may_touch(TouchKind::Read, word));
}

/// Records the path in a word: the word itself, or its part after `=`, after `@`, or after the letter of an
/// option.
fn record_word<'a>(effects: &mut impl Recorder<'a>, word: &'a str) {
    match word.strip_prefix('-') {
        None => effects.may_touch(TouchKind::Any, word.strip_prefix('@').unwrap_or(word)),
        Some(option) if !option.starts_with('-') => {
            let glued = option.char_indices().nth(1).and_then(|(at, _)| option.get(at..));
            effects.may_touch(TouchKind::Any, glued.unwrap_or_default());
        }
        Some(_) => {}
    }
    if let Some((_, value)) = word.split_once('=') {
        effects.may_touch(TouchKind::Any, value.strip_prefix('@').unwrap_or(value));
    }
}

/// Records each word of a program that can write as written: an unknown option may be the one that names the
/// output file.
pub(super) fn may_write<'a>(effects: &mut impl Recorder<'a>, arguments: &'a [String]) {
    for word in arguments {
        let value = match word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            None => Some(word.as_str()),
            Some(option) if option.starts_with('-') => option.split_once('=').map(|(_, value)| value),
            Some(option) => option.char_indices().nth(1).and_then(|(at, _)| option.get(at..)),
        };
        if let Some(value) = value.filter(|value| !value.is_empty() && *value != "-") {
            effects.write(value);
        }
    }
}
