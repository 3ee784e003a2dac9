//! Files that git shows from its objects: `HEAD:path`, `:path`, and all files for a sub-command that shows a
//! difference.

use super::super::options::ParsedOptions;
use super::super::{Effects, Recorder};

/// Options of `git log` with which it does not show names or contents of files.
const WORDS_ONLY: &[&str] = &[
    "n",
    "s",
    "no-patch",
    "oneline",
    "format",
    "pretty",
    "graph",
    "decorate",
    "no-decorate",
    "all",
    "branches",
    "tags",
    "remotes",
    "author",
    "committer",
    "grep",
    "since",
    "until",
    "after",
    "before",
    "max-count",
    "skip",
    "first-parent",
    "merges",
    "no-merges",
    "reverse",
    "follow",
    "date",
    "abbrev-commit",
    "abbrev",
    "no-abbrev",
    "no-abbrev-commit",
    "color",
    "no-color",
    "i",
    "E",
    "F",
    "topo-order",
    "date-order",
    "left-right",
    "cherry-pick",
    "quiet",
    "source",
    "no-show-signature",
    "z",
    "no-ext-diff",
    "no-textconv",
];

/// Records the files that a listed sub-command shows.
pub(super) fn assess(effects: &mut Effects, name: &str, words: &[String], given: &ParsedOptions<'_>) {
    let has = |names: &[&str]| given.options.iter().any(|option| names.contains(option));
    let end = words.iter().position(|word| word == "--");
    let specs = end.and_then(|at| words.get(at.saturating_add(1)..)).unwrap_or_default();
    let named = given.operands.len().saturating_sub(specs.len());
    let mut all_in_objects = named > 0;
    for operand in given.operands.iter().take(named) {
        match path_in(operand) {
            Some((path, from_root)) => read(effects, path, from_root),
            None if name == "cat-file" && ["blob", "tree", "commit", "tag"].contains(operand) => {}
            None => {
                all_in_objects = false;
                if !matches!(name, "rev-parse" | "merge-base" | "describe" | "show-ref" | "rev-list") {
                    effects.touch(super::TouchKind::Read, operand, false);
                }
            }
        }
    }
    lines(effects, words);
    let shows = match name {
        "diff" | "ls-files" => true,
        "show" => !(has(&["s", "no-patch"]) || all_in_objects),
        "cat-file" => !all_in_objects && (has(&["p"]) || given.operands.contains(&"blob")),
        "log" => given.options.iter().any(|option| !WORDS_ONLY.contains(option)),
        "ls-tree" => has(&["r", "t"]),
        "status" => has(&["v", "verbose"]),
        _ => false,
    };
    if !shows {
        return specs.iter().for_each(|path| effects.touch(super::TouchKind::Read, path, false));
    }
    if specs.is_empty() || specs.iter().any(|spec| spec.starts_with(':')) {
        effects.read_repository(".", true);
    }
    for spec in specs {
        let literal = spec.find(['*', '?', '[', '\\']).map_or(spec.as_str(), |at| {
            let start = spec.get(..at).unwrap_or_default();
            start.rsplit_once('/').map_or(".", |(folder, _)| folder)
        });
        effects.touch(super::TouchKind::Read, literal, true);
    }
}

/// Records a path in the tree of a commit, or in the index.
pub(super) fn read(effects: &mut Effects, path: &str, from_root: bool) {
    effects.reads.push(path.to_owned());
    if from_root {
        effects.read_repository(path, false);
    } else {
        effects.touch(super::TouchKind::Read, path, false);
    }
}

/// Returns the path of `REVISION:PATH` or `:PATH`, and whether it is relative to the top of the repository. A
/// colon inside braces belongs to the revision, as in git's `get_oid_with_context`.
pub(super) fn path_in(operand: &str) -> Option<(&str, bool)> {
    let mut depth = 0_usize;
    let at = operand.char_indices().find_map(|(at, char)| match char {
        '{' => {
            depth = depth.saturating_add(1);
            None
        }
        '}' => {
            depth = depth.saturating_sub(1);
            None
        }
        ':' if depth == 0 => Some(at),
        _ => None,
    })?;
    let mut path = operand.get(at.saturating_add(1)..).unwrap_or_default();
    if at == 0 {
        // `:/text` selects a commit by its message.
        if path.starts_with('/') {
            return None;
        }
        // The number of a stage of the index.
        path = ["0:", "1:", "2:", "3:"].iter().find_map(|stage| path.strip_prefix(stage)).unwrap_or(path);
    }
    let is_relative = path.starts_with("./") || path.starts_with("../") || path == "..";
    Some((path, !is_relative))
}

/// Records the file of `-L 1,5:FILE`.
fn lines(effects: &mut Effects, words: &[String]) {
    for (index, word) in words.iter().enumerate() {
        let Some(glued) = word.strip_prefix("-L") else { continue };
        let next = || words.get(index.saturating_add(1)).map_or("", String::as_str);
        let range = if glued.is_empty() { next() } else { glued };
        if let Some((_, path)) = range.rsplit_once(':') {
            read(effects, path, true);
        }
    }
}
