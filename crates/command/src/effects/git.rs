//! `git`: sub-commands and options that read. Even these obey the repository's configuration, which can name
//! programs to run (filters, text conversion, a file system monitor), so the best result is
//! [`Access::NeedsSandbox`](super::Access::NeedsSandbox).

mod objects;

use super::options::{Numbers, Options};
use super::{DoubtKind, Effects, Recorder, TouchKind};

const HISTORY: &str = "p u s n= U= S= G= L= M? C? B? z w b i E F a m c R r t patch no-patch raw stat? numstat shortstat \
    dirstat? summary name-only name-status color? no-color oneline format= pretty? graph decorate? no-decorate all \
    branches? tags? remotes? author= committer= grep= since= until= after= before= max-count= skip= first-parent \
    merges no-merges reverse follow date= abbrev-commit abbrev? no-abbrev no-abbrev-commit unified= word-diff? \
    diff-filter= find-renames? find-copies? ignore-space-change ignore-all-space ignore-blank-lines check cached \
    staged merge-base no-ext-diff no-textconv no-renames relative? full-index binary minimal patience histogram \
    topo-order date-order left-right cherry-pick quiet exit-code pickaxe-regex no-prefix ignore-submodules? \
    submodule? stat-width= compact-summary source no-show-signature";

/// The known sub-commands with their options, and whether an operand would make them write.
const SUBCOMMANDS: &[(&str, &str, Operands)] = &[
    (
        "status",
        "s b v u? z short branch porcelain? long untracked-files? ignored? ignore-submodules? column? no-column \
         ahead-behind no-ahead-behind renames no-renames show-stash",
        Operands::Any,
    ),
    ("log", HISTORY, Operands::Any),
    ("show", HISTORY, Operands::Any),
    ("diff", HISTORY, Operands::Any),
    ("shortlog", "s n e c w? summary numbered email group= all since= until=", Operands::Any),
    (
        "branch",
        "a r v l i all remotes verbose list show-current contains? no-contains? merged? no-merged? points-at= \
         format= sort= color? no-color column? no-column abbrev= ignore-case",
        Operands::None,
    ),
    (
        "tag",
        "l i list n? sort= format= contains? no-contains? merged? points-at= ignore-case color?",
        Operands::None,
    ),
    ("remote", "v verbose", Operands::None),
    (
        "ls-files",
        "c d m o i s k t v z u x= X< cached deleted modified others ignored stage killed exclude= exclude-standard \
         full-name error-unmatch abbrev? recurse-submodules deduplicate",
        Operands::Any,
    ),
    (
        "ls-tree",
        "d r t l z long name-only name-status full-name full-tree abbrev? object-only format=",
        Operands::Any,
    ),
    (
        "rev-parse",
        "q verify quiet short? abbrev-ref? symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir \
         git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository all branches? \
         tags? remotes? absolute-git-dir",
        Operands::Any,
    ),
    (
        "rev-list",
        "n= all count max-count= since= until= oneline reverse first-parent merges no-merges left-right",
        Operands::Any,
    ),
    (
        "blame",
        "b c l t s e w p L= M? C? root show-stats date= porcelain line-porcelain incremental abbrev= color-lines",
        Operands::Any,
    ),
    (
        "describe",
        "a all tags long always abbrev= match= exclude= exact-match first-parent dirty? contains",
        Operands::Any,
    ),
    ("cat-file", "t s e p", Operands::Any),
    ("merge-base", "a all is-ancestor fork-point octopus independent", Operands::Any),
    ("show-ref", "d q s head heads tags dereference hash? verify abbrev? quiet", Operands::Any),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    Any,
    None,
}

pub(super) fn assess(effects: &mut Effects, arguments: &[String]) {
    effects.sandbox = true;
    let plain = |word: &&String| ["--no-pager", "-P", "--no-optional-locks"].contains(&word.as_str());
    let mut rest = arguments;
    while let Some((_, behind)) = rest.split_first().filter(|(first, _)| plain(first)) {
        rest = behind;
    }
    let Some((name, words)) = rest.split_first() else {
        return effects.doubt(DoubtKind::Operand, "git", "git");
    };
    let Some((_, known, operands)) = SUBCOMMANDS.iter().find(|(known, ..)| known == name) else {
        effects.doubt(DoubtKind::Operand, "git", name);
        return record_unlisted(effects, rest);
    };
    let (doubts, given) =
        (effects.doubts.len(), Options { known, numbers: Numbers::Options }.walk("git", words, effects));
    // `%G?` and similar placeholders run the program that verifies signatures.
    for word in words.iter().filter(|word| word.contains("%G")) {
        effects.doubt(DoubtKind::Operand, "git", word);
    }
    for operand in &given.operands {
        match operands {
            Operands::Any => effects.reads.push((*operand).to_owned()),
            Operands::None => effects.doubt(DoubtKind::Operand, "git", operand),
        }
    }
    objects::assess(effects, name, words, &given);
    if effects.doubts.len() > doubts {
        super::unknown::may_write(effects, words);
    }
}

/// Sub-commands that show or copy the contents of files regardless of their other arguments.
const SHOWING: &[&str] = &[
    "archive",
    "grep",
    "format-patch",
    "whatchanged",
    "diff-tree",
    "diff-index",
    "diff-files",
    "range-diff",
    "bundle",
    "fast-export",
    "difftool",
    "cat-file",
    "show",
    "diff",
    "annotate",
    "send-email",
    "request-pull",
];

/// Records the paths that may be touched by a sub-command outside the list, or after an unknown global
/// option.
fn record_unlisted(effects: &mut Effects, arguments: &[String]) {
    let is = |name: &str| arguments.iter().any(|word| word == name);
    let shows = arguments.iter().any(|word| SHOWING.contains(&word.as_str()))
        || is("stash") && is("show")
        || is("log");
    if shows {
        effects.read_repository(".", true);
    } else if is("worktree") || is("checkout") || is("stash") || is("restore") || is("clone") {
        effects.may_touch(TouchKind::Read, ".");
    }
    for word in arguments {
        if let Some((path, from_root)) = objects::path_in(word) {
            objects::read(effects, path, from_root);
        }
    }
    super::unknown::assess(effects, "git", arguments);
}
