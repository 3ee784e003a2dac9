//! `find`: named predicates that test and print. Everything that runs, removes or writes is a doubt.

use super::{DoubtKind, Effects};

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

pub(super) fn judge(effects: &mut Effects, arguments: &[String]) {
    let mut words = arguments.iter().map(String::as_str).peekable();
    while words.next_if(|word| ["-H", "-L", "-P"].contains(word)).is_some() {}
    let before = effects.reads.len();
    while let Some(start) = words.next_if(|word| !word.starts_with(['-', '(', ')', '!', ','])) {
        effects.reads.push(start.to_owned());
    }
    if effects.reads.len() == before {
        effects.reads.push(".".to_owned());
    }
    while let Some(word) = words.next() {
        if ALONE.contains(&word) {
            continue;
        }
        let takes_file = WITH_FILE.contains(&word);
        if !takes_file && !WITH_TEXT.contains(&word) {
            // Behind an unknown predicate it is not known which words are predicates: one doubt says it all.
            return effects.doubt(DoubtKind::UnknownOption, "find", word);
        }
        match words.next() {
            Some(file) if takes_file => effects.reads.push(file.to_owned()),
            Some(_) => {}
            None => effects.doubt(DoubtKind::Operand, "find", word),
        }
    }
}
