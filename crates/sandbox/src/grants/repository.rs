//! The names in a git repository that decide which programs git runs, or where git finds the files that
//! decide it.

use crate::confinement::stand_in::StandIn;

/// A name in a repository that a child may not create, change or remove.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepositoryName {
    /// The path below the repository's folder.
    pub(crate) path: &'static str,
    /// The stand-in while the name is missing. Git 2.47 was tested with each of them.
    pub(crate) stand_in: StandIn,
}

const fn name(path: &'static str, stand_in: StandIn) -> RepositoryName {
    RepositoryName { path, stand_in }
}

/// The names, each with its reason.
pub(crate) const NAMES: [RepositoryName; 12] = [
    // Names programs: `core.fsmonitor`, `core.hooksPath`, `filter.*`, `diff.*`, `alias.*`, `core.sshCommand`.
    name("config", StandIn::File),
    // Like `config`, if `extensions.worktreeConfig` is set.
    name("config.worktree", StandIn::File),
    // Names another folder, from which git takes `config`, `hooks`, objects and references.
    name("commondir", StandIn::CommonFolder),
    // The work tree of a linked repository. libgit2 takes a folder with this file for one.
    name("gitdir", StandIn::File),
    // Programs that git runs by their names.
    name("hooks", StandIn::Folder),
    // Repositories of submodules, each with a configuration and hooks that `git status` reads.
    name("modules", StandIn::Folder),
    // Administrative folders of linked work trees, each with a `commondir` and a `config.worktree`.
    name("worktrees", StandIn::Folder),
    // Selects filters and diff drivers that the user's own configuration defines, like `.gitattributes`.
    name("info/attributes", StandIn::File),
    // Folders outside the repository from which git takes objects.
    name("objects/info/alternates", StandIn::File),
    // Like `alternates`, but with URLs, for transfers over HTTP.
    name("objects/info/http-alternates", StandIn::File),
    // Remote URLs in the two formats before `config`. A URL can name a transport that runs a program.
    name("remotes", StandIn::Folder),
    name("branches", StandIn::Folder),
];

/// Names that git commands write in ordinary work, so they cannot be protected. A change is reported.
pub(crate) const REPORTED: [&str; 2] = [
    // `exec` lines in it are run by the next `git rebase --continue`.
    "rebase-merge/git-rebase-todo",
    // The file of `rebase --rebase-merges` before git 2.20, with the same lines.
    "rebase-merge/git-rebase-todo.backup",
];
