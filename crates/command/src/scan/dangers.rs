//! Effects that are dangerous regardless of the rules.

use super::Danger;
use super::notes::Notes;
use super::search::{Feed, Runs};
use crate::{effects, kind, names};

/// System folders.
const SYSTEM: &[&str] =
    &["/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/sys", "/proc", "/var", "/root", "/opt"];

/// Records the dangers of a program by its name and words, and the paths that it writes.
pub(super) fn record_program(name: &str, words: &[String], notes: &mut Notes) {
    match name {
        "sudo" | "su" | "doas" | "pkexec" | "runuser" => notes.danger(Danger::Escalates),
        "shutdown" | "reboot" | "halt" | "poweroff" => notes.danger(Danger::StopsSystem),
        "kill" if words.iter().skip(1).any(|word| word == "-1") => notes.danger(Danger::StopsSystem),
        "wipefs" | "fdisk" | "sfdisk" | "parted" | "blkdiscard" | "cryptsetup" => {
            notes.danger(Danger::WritesDevice);
        }
        _ if name.starts_with("mkfs") || name == "mke2fs" || name == "mkswap" => {
            notes.danger(Danger::WritesDevice);
        }
        "rm" => record_removal(words, notes),
        "find" if words.iter().any(|word| word == "-delete") => {
            let target = words.first().filter(|word| !word.starts_with('-')).map_or(".", String::as_str);
            notes.danger(Danger::RemovesTree { target: target.to_owned() });
        }
        "chmod" | "chown" | "chgrp" if is_recursive(words) => record_removal(words, notes),
        _ => {}
    }
    note_writes(name, words, notes);
}

fn is_recursive(words: &[String]) -> bool {
    words.iter().any(|word| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        word == "--recursive" || (!letters.starts_with('-') && letters.contains(['r', 'R']))
    })
}

fn record_removal(words: &[String], notes: &mut Notes) {
    if !is_recursive(words) {
        return;
    }
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        let trimmed = word.trim_end_matches(['/', '*', '.']);
        // An expansion is replaced by the empty text, so `"$x/"` is the root here, just as in a shell in
        // which `x` is unset.
        let home = trimmed == "~" || word.starts_with("~/") && trimmed.len() <= 2;
        if trimmed.is_empty() || home || SYSTEM.contains(&trimmed) || trimmed == "/home" {
            notes.danger(Danger::RemovesTree { target: word.clone() });
        }
    }
}

/// Records the written paths: those of the lists that `Effects` uses, and the output options of some other
/// programs.
fn note_writes(name: &str, words: &[String], notes: &mut Notes) {
    for path in effects::list_written_paths(name, words) {
        notes.write(path);
    }
    let after = |options: &[&str]| {
        let at = words.iter().position(|word| options.contains(&word.as_str()));
        at.and_then(|at| words.get(at.saturating_add(1)))
    };
    match name {
        "sed" | "perl"
            if words.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place")) =>
        {
            words.iter().filter(|word| !word.starts_with('-')).for_each(|word| notes.write(word));
        }
        "uniq" => {
            words.iter().filter(|word| !word.starts_with('-')).skip(1).for_each(|word| notes.write(word));
        }
        "git" => {
            if let Some(path) = after(&["--output"]) {
                notes.write(path);
            }
            let glued = words.iter().filter_map(|word| word.strip_prefix("--output="));
            glued.for_each(|path| notes.write(path));
        }
        "sort" | "curl" | "wget" | "tree" | "gcc" | "cc" | "tar" | "patch" => {
            if let Some(path) = after(&["-o", "-O", "--output", "--output-document"]) {
                notes.write(path);
            }
            for prefix in ["--output=", "--output-document=", "-o", "-O"] {
                let glued = words.iter().filter_map(|word| word.strip_prefix(prefix));
                glued.filter(|path| !path.is_empty()).for_each(|path| notes.write(path));
            }
        }
        _ => {}
    }
}

/// Records that an interpreter executes text that is not literal. Returns whether the program executes its
/// input.
pub(super) fn record_feed(
    name: &str,
    words: &[String],
    texts: &[String],
    feed: Feed,
    notes: &mut Notes,
) -> Runs {
    let interpreter = kind::is_shell(name) || kind::runs_its_input(name);
    let evaluates = matches!(name, "eval" | "source" | ".");
    if evaluates {
        notes.danger(Danger::Evaluates);
    }
    notes.partial |= feed == Feed::Expansion && (evaluates || interpreter);
    if matches!(name, "at" | "batch") && feed == Feed::Pipe {
        notes.danger(Danger::FeedsShell);
        notes.partial = true;
        return Runs::Input;
    }
    if !interpreter {
        return Runs::Nothing;
    }
    if feed == Feed::Expansion {
        notes.danger(Danger::Evaluates);
    }
    // A shell with a `-c` text or with a script file reads its standard input as data.
    let reads_input =
        words.iter().all(|word| word.starts_with(['-', '+'])) || words.iter().any(|word| word == "-s");
    if feed == Feed::Pipe && texts.is_empty() && reads_input {
        notes.danger(Danger::FeedsShell);
        notes.partial = true;
        return Runs::Input;
    }
    Runs::Nothing
}

/// Records the danger of a written path: a connection, a device or a protected name.
pub(super) fn record_write(path: &str, notes: &mut Notes) {
    let network = path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
    let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&path)
        || path.starts_with("/dev/fd/");
    if network {
        notes.danger(Danger::OpensNetwork);
    } else if path.starts_with("/dev/") && !harmless {
        notes.danger(Danger::WritesDevice);
    }
    let named = names::is_protected_path(path.split(['/', '\\']));
    let system = SYSTEM
        .iter()
        .any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    if named || system {
        notes.danger(Danger::WritesProtected { path: path.to_owned() });
    }
}

/// Records dangers that are visible only in the text as a whole.
pub(super) fn record_text(text: &str, notes: &mut Notes) {
    if text.contains("/dev/tcp/") || text.contains("/dev/udp/") {
        notes.danger(Danger::OpensNetwork);
    }
    let dense: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let mut rest = dense.as_str();
    while let Some((before, body)) = rest.split_once("(){") {
        let name = before.rsplit([';', '&', '|', '(', ')', '{', '}']).next().unwrap_or_default();
        let name = name.strip_prefix("function").unwrap_or(name);
        if !name.is_empty() && body.starts_with(&format!("{name}|{name}")) {
            notes.danger(Danger::ForkBomb);
        }
        rest = body;
    }
}
