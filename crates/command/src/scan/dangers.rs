//! What is dangerous whatever the rules say.

use super::search::{Feed, Runs};
use super::{Danger, Scan, wrapped};
use crate::names;

/// Folders of the system.
const SYSTEM: &[&str] =
    &["/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/sys", "/proc", "/var", "/root", "/opt"];

/// Notes what a program does by its name and words, and the paths it writes.
pub(super) fn of_program(name: &str, words: &[String], scan: &mut Scan) {
    let dangers = &mut scan.dangers;
    match name {
        "sudo" | "su" | "doas" | "pkexec" | "runuser" => dangers.push(Danger::Escalates),
        "shutdown" | "reboot" | "halt" | "poweroff" => dangers.push(Danger::StopsSystem),
        "kill" if words.iter().skip(1).any(|word| word == "-1") => dangers.push(Danger::StopsSystem),
        "wipefs" | "fdisk" | "sfdisk" | "parted" | "blkdiscard" | "cryptsetup" => {
            dangers.push(Danger::WritesDevice);
        }
        _ if name.starts_with("mkfs") || name == "mke2fs" || name == "mkswap" => {
            dangers.push(Danger::WritesDevice);
        }
        "rm" => of_removal(words, dangers),
        "find" if words.iter().any(|word| word == "-delete") => {
            let target = words.first().filter(|word| !word.starts_with('-')).map_or(".", String::as_str);
            dangers.push(Danger::RemovesTree { target: target.to_owned() });
        }
        "chmod" | "chown" | "chgrp" if is_recursive(words) => of_removal(words, dangers),
        _ => {}
    }
    note_writes(name, words, &mut scan.writes);
}

fn is_recursive(words: &[String]) -> bool {
    words.iter().any(|word| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        word == "--recursive" || (!letters.starts_with('-') && letters.contains(['r', 'R']))
    })
}

fn of_removal(words: &[String], dangers: &mut Vec<Danger>) {
    if !is_recursive(words) {
        return;
    }
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        let trimmed = word.trim_end_matches(['/', '*', '.']);
        // An expansion reads as nothing, so `"$x/"` is a root here, as it is to a shell where `x` is not set.
        let home = trimmed == "~" || word.starts_with("~/") && trimmed.len() <= 2;
        if trimmed.is_empty() || home || SYSTEM.contains(&trimmed) || trimmed == "/home" {
            dangers.push(Danger::RemovesTree { target: word.clone() });
        }
    }
}

fn note_writes(name: &str, words: &[String], writes: &mut Vec<String>) {
    let operands = || words.iter().filter(|word| !word.starts_with('-')).cloned();
    let behind = |options: &[&str]| {
        let at = words.iter().position(|word| options.contains(&word.as_str()));
        at.and_then(|at| words.get(at.saturating_add(1))).cloned()
    };
    let glued = |prefix: &str| {
        words.iter().filter_map(|word| word.strip_prefix(prefix)).map(str::to_owned).collect::<Vec<_>>()
    };
    match name {
        "touch" | "mkdir" | "rmdir" | "rm" | "unlink" | "tee" | "truncate" | "shred" | "mv" | "sponge" => {
            writes.extend(operands());
        }
        "chmod" | "chown" | "chgrp" | "chattr" | "uniq" => writes.extend(operands().skip(1)),
        "cp" | "ln" | "install" | "rsync" | "scp" => {
            writes.extend(operands().next_back());
            writes.extend(behind(&["-t", "--target-directory"]));
            writes.extend(glued("--target-directory="));
        }
        "dd" => writes.extend(glued("of=")),
        "sed" | "perl"
            if words.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place")) =>
        {
            writes.extend(operands());
        }
        "sort" | "curl" | "wget" | "tree" | "gcc" | "cc" | "tar" => {
            writes.extend(behind(&["-o", "-O", "--output", "--output-document"]));
            for prefix in ["--output=", "--output-document=", "-o", "-O"] {
                writes.extend(glued(prefix).into_iter().filter(|path| !path.is_empty()));
            }
        }
        _ => {}
    }
}

/// Notes where an interpreter runs what is not on the face of the command.
pub(super) fn of_feed(name: &str, words: &[String], texts: &[String], feed: Feed, scan: &mut Scan) -> Runs {
    let shell = wrapped::SHELLS.contains(&name);
    let interpreter =
        shell || wrapped::INTERPRETERS.iter().any(|known| *known == name && !name.ends_with("awk"));
    let evaluates = matches!(name, "eval" | "source" | ".");
    if evaluates {
        scan.dangers.push(Danger::Evaluates);
    }
    scan.partial |= feed == Feed::Expansion && (evaluates || interpreter);
    if matches!(name, "at" | "batch") && feed == Feed::Pipe {
        scan.dangers.push(Danger::FeedsShell);
        scan.partial = true;
        return Runs::Input;
    }
    if !interpreter {
        return Runs::Nothing;
    }
    if feed == Feed::Expansion {
        scan.dangers.push(Danger::Evaluates);
    }
    // With a text or a file of its own, a shell takes its input for data.
    let reads_input =
        words.iter().all(|word| word.starts_with(['-', '+'])) || words.iter().any(|word| word == "-s");
    if feed == Feed::Pipe && texts.is_empty() && reads_input {
        scan.dangers.push(Danger::FeedsShell);
        scan.partial = true;
        return Runs::Input;
    }
    Runs::Nothing
}

/// Notes what a written path means.
pub(super) fn of_write(path: &str, dangers: &mut Vec<Danger>) {
    let network = path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
    let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&path)
        || path.starts_with("/dev/fd/");
    if network {
        dangers.push(Danger::OpensNetwork);
    } else if path.starts_with("/dev/") && !harmless {
        dangers.push(Danger::WritesDevice);
    }
    let named = path.split(['/', '\\']).any(names::is_protected_name);
    let system = SYSTEM
        .iter()
        .any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    if named || system {
        dangers.push(Danger::WritesProtected { path: path.to_owned() });
    }
}

/// Notes what only the whole text shows.
pub(super) fn of_text(text: &str, dangers: &mut Vec<Danger>) {
    if text.contains("/dev/tcp/") || text.contains("/dev/udp/") {
        dangers.push(Danger::OpensNetwork);
    }
    let dense: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let mut rest = dense.as_str();
    while let Some((before, body)) = rest.split_once("(){") {
        let name = before.rsplit([';', '&', '|', '(', ')', '{', '}']).next().unwrap_or_default();
        let name = name.strip_prefix("function").unwrap_or(name);
        if !name.is_empty() && body.starts_with(&format!("{name}|{name}")) {
            dangers.push(Danger::ForkBomb);
        }
        rest = body;
    }
}
