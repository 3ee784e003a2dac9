//! Common programs that write. They are never proved harmless, but the files that they write are known.

use super::{DoubtKind, Recorder, TouchKind};

/// The meaning of a program's operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    Written,
    Removed,
    /// All operands but the last are read and removed; the last one is written.
    Moved,
    /// All operands but the last are read; the last one is written.
    Copied,
    /// The first operand is a mode or an owner; the others are written.
    Changed,
    /// A file and its patch. Each operand counts as written, because values of options may be among them.
    Patched,
}

/// The programs that write, by name.
pub(super) const NAMES: &[(&str, Operands)] = &[
    ("touch", Operands::Written),
    ("mkdir", Operands::Written),
    ("tee", Operands::Written),
    ("truncate", Operands::Written),
    ("sponge", Operands::Written),
    ("mkfifo", Operands::Written),
    ("rmdir", Operands::Removed),
    ("rm", Operands::Removed),
    ("unlink", Operands::Removed),
    ("shred", Operands::Removed),
    ("mv", Operands::Moved),
    ("cp", Operands::Copied),
    ("ln", Operands::Copied),
    ("install", Operands::Copied),
    ("chmod", Operands::Changed),
    ("chown", Operands::Changed),
    ("chgrp", Operands::Changed),
    ("chattr", Operands::Changed),
    ("chcon", Operands::Changed),
    ("setfacl", Operands::Changed),
    ("patch", Operands::Patched),
];

/// The parsed words of a program that writes.
#[derive(Default)]
struct Words<'a> {
    operands: Vec<&'a str>,
    options: Vec<&'a str>,
    /// Values of options: after `=`, or glued to a letter.
    values: Vec<&'a str>,
    /// Files that an option uses as a reference; they are read.
    references: Vec<&'a str>,
    /// Folders into which the operands are copied or moved.
    into: Vec<&'a str>,
}

impl<'a> Words<'a> {
    /// Parses the arguments. An option may take the next word as its value, so that word is an operand as
    /// well.
    fn parse(arguments: &'a [String], goes_into: bool) -> Self {
        let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
        let (before, behind) = arguments.split_at(end);
        let mut words = Self::default();
        let mut rest = before.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if word.len() < 2 || !word.starts_with('-') {
                words.operands.push(word);
                continue;
            }
            words.options.push(word);
            match word.split_once('=') {
                // GNU programs accept abbreviated long options.
                Some((name, value)) if name.starts_with("--r") && "--reference".starts_with(name) => {
                    words.references.push(value);
                }
                Some((name, value))
                    if goes_into && name.starts_with("--t") && "--target-directory".starts_with(name) =>
                {
                    words.into.push(value);
                }
                Some((_, value)) => words.values.push(value),
                None if goes_into
                    && (word == "-t" || word.len() > 3 && "--target-directory".starts_with(word)) =>
                {
                    words.into.extend(rest.next());
                }
                None if word.len() > 4 && "--reference".starts_with(word) => {
                    words.references.extend(rest.next());
                }
                None if !word.starts_with("--") => {
                    words.values.extend(word.char_indices().nth(2).and_then(|(at, _)| word.get(at..)));
                    words
                        .into
                        .extend(word.strip_prefix("-t").filter(|folder| goes_into && !folder.is_empty()));
                }
                None => {}
            }
        }
        words.operands.extend(behind.iter().skip(1).map(String::as_str));
        words
    }

    /// Returns whether an option contains one of these letters, or abbreviates one of these long names.
    fn has(&self, letters: &[char], long: &[&str]) -> bool {
        self.options.iter().any(|option| match option.strip_prefix("--") {
            Some(name) => name.len() > 1 && long.iter().any(|known| known.starts_with(name)),
            None => option.chars().skip(1).any(|char| letters.contains(&char)),
        })
    }

    fn is_recursive(&self) -> bool {
        self.has(&['r', 'R', 'a'], &["recursive", "archive"])
    }

    /// Returns whether all options are known to take no value and to be different from a mode such as `-x`.
    fn are_common(&self) -> bool {
        self.options.iter().all(|option| match option.strip_prefix("--") {
            Some(name) => ["recursive", "verbose", "changes", "quiet", "silent"].contains(&name),
            None => option.chars().skip(1).all(|char| "RvcfhHLP".contains(char)),
        })
    }
}

/// Records the operands of a program that writes. Returns false if the program is not in the list.
pub(super) fn assess<'a>(effects: &mut impl Recorder<'a>, name: &str, arguments: &'a [String]) -> bool {
    let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == name) else { return false };
    effects.doubt(DoubtKind::Writes, name, name);
    let words = Words::parse(arguments, matches!(kind, Operands::Copied | Operands::Moved));
    for option in &words.options {
        effects.doubt(DoubtKind::UnknownOption, name, option);
    }
    words.references.iter().for_each(|path| effects.read(path));
    // The value of an option may be a file that is written.
    words.values.iter().for_each(|value| effects.may_touch(TouchKind::Any, value));
    let below = words.is_recursive();
    match kind {
        Operands::Written => words.operands.iter().for_each(|path| effects.write(path)),
        Operands::Removed => words.operands.iter().for_each(|path| effects.delete(path, below)),
        Operands::Changed => {
            let mode = usize::from(words.references.is_empty() && words.are_common());
            let changed = words.operands.iter().skip(mode);
            changed.for_each(|path| if below { effects.write_tree(path) } else { effects.write(path) });
        }
        Operands::Copied | Operands::Moved => record_copy(effects, name, &words),
        Operands::Patched => record_patch(effects, &words),
    }
    true
}

fn record_copy<'a>(effects: &mut impl Recorder<'a>, name: &str, words: &Words<'a>) {
    let all = words.operands.as_slice();
    if name == "install" && words.has(&['d'], &["directory"]) {
        return all.iter().for_each(|path| effects.write(path));
    }
    let (sources, targets) = match (all, words.into.as_slice()) {
        (_, [_, ..]) => (all, words.into.clone()),
        // The link of a single operand is created in the current folder.
        ([source], []) if name == "ln" => (std::slice::from_ref(source), vec!["."]),
        ([sources @ .., last], []) => (sources, vec![*last]),
        ([], []) => return,
    };
    // A folder is moved or copied as a whole; a link reaches everything below its target.
    let below = matches!(name, "mv" | "ln") || words.is_recursive();
    for source in sources {
        if name == "mv" {
            effects.touch(TouchKind::Read, source, true);
            effects.delete(source, true);
        } else if below {
            effects.read_tree(source);
        } else {
            effects.read(source);
        }
    }
    // A program accepts one target folder; with several of them the targets of the files are uncertain.
    let is_one = targets.len() == 1;
    for target in targets {
        if !is_one {
            effects.may_touch(TouchKind::Write, target);
        }
        if target != "." {
            effects.write(target);
        }
        for source in sources.iter().filter(|_| is_one) {
            effects.copy_into(target, source);
        }
        if below {
            effects.may_touch(TouchKind::Write, target);
        }
    }
}

/// Records the operands of `patch`. Without operands, the patch itself names the files that are changed.
fn record_patch<'a>(effects: &mut impl Recorder<'a>, words: &Words<'a>) {
    words.values.iter().chain(&words.operands).for_each(|path| effects.write(path));
    if words.operands.is_empty() {
        effects.may_touch(TouchKind::Write, ".");
    }
}
