//! `find`: known predicates that test and print. Each predicate that runs, removes or writes adds a doubt.

use super::{DoubtKind, Effects, Recorder, TouchKind};

const ALONE: &[&str] = &[
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "!",
    "(",
    ")",
    ",",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-empty",
    "-true",
    "-false",
    "-readable",
    "-writable",
    "-executable",
    "-depth",
    "-mount",
    "-xdev",
    "-daystart",
    "-follow",
    "-nouser",
    "-nogroup",
    "-noleaf",
    "-nowarn",
    "-warn",
    "-ignore_readdir_race",
];
const WITH_TEXT: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-lname",
    "-ilname",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-used",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-maxdepth",
    "-mindepth",
    "-fstype",
    "-printf",
];
const WITH_FILE: &[&str] = &["-newer", "-anewer", "-cnewer", "-samefile"];

pub(super) fn assess(effects: &mut Effects, arguments: &[String]) {
    let mut words = arguments.iter().map(String::as_str).peekable();
    while let Some(word) = words.next_if(|word| ["-H", "-L", "-P"].contains(word)) {
        if word == "-L" {
            effects.may_read_all();
        }
    }
    let before = effects.reads.len();
    while let Some(start) = words.next_if(|word| !word.starts_with(['-', '(', ')', '!', ','])) {
        effects.read_tree(start);
    }
    if effects.reads.len() == before {
        effects.read_tree(".");
    }
    while let Some(word) = words.next() {
        if ALONE.contains(&word) {
            continue;
        }
        let takes_file = WITH_FILE.contains(&word);
        if !takes_file && !WITH_TEXT.contains(&word) {
            // After an unknown predicate, predicates and values cannot be separated any more, so one doubt is
            // enough.
            effects.doubt(DoubtKind::UnknownOption, "find", word);
            return acts(effects, before, std::iter::once(word).chain(words));
        }
        match words.next() {
            Some(file) if takes_file => effects.read(file),
            Some(_) => {}
            None => effects.doubt(DoubtKind::Operand, "find", word),
        }
    }
}

/// Records the effects of actions on the trees below the start folders, which are the reads from `before` on.
fn acts<'a>(effects: &mut Effects, before: usize, words: impl Iterator<Item = &'a str>) {
    let starts: Vec<String> = effects.reads.get(before..).unwrap_or_default().to_vec();
    let mut words = words.peekable();
    let (mut deletes, mut runs) = (false, false);
    while let Some(word) = words.next() {
        match word {
            "-delete" => deletes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => runs = true,
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                words.peek().into_iter().for_each(|file| effects.write(file));
            }
            _ => {}
        }
    }
    for start in &starts {
        if deletes {
            effects.delete(start, true);
        }
        if runs {
            effects.may_touch(TouchKind::Any, start);
        }
    }
}
