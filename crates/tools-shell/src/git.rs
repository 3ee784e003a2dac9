//! `git`, whose repository can name programs to run: the features that are switched off, and the commands
//! that write the repository (SECURITY, its sixth rule for commands).

use std::path::Path;

/// Options before those of the user's command.
const FIRST: [&str; 7] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    // The workspace can contain a planted folder with `HEAD`, `objects` and `refs`, so git must not discover
    // it as a bare repository.
    "-c",
    "safe.bareRepository=explicit",
];
/// Options before the command that do not change its effects.
const PLAIN: [&str; 3] = ["--no-pager", "-P", "--no-optional-locks"];
/// Commands that show differences and can run other programs for this.
const SHOWING: [&str; 4] = ["diff", "log", "show", "whatchanged"];
/// Commands that write the repository, and access only the repository and the work tree.
const WRITING: [&str; 31] = [
    "add",
    "am",
    "apply",
    "bisect",
    "branch",
    "checkout",
    "cherry-pick",
    "clean",
    "commit",
    "gc",
    "merge",
    "mv",
    "notes",
    "pack-refs",
    "prune",
    "read-tree",
    "rebase",
    "reflog",
    "repack",
    "replace",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "write-tree",
];

/// Settings that a repository cannot override, for every git process that a command starts.
const SETTINGS: [(&str, &str); 5] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.ext.allow", "never"),
];

/// Returns the index of the git command among the words, after options that do not change its effects.
fn command_at(argv: &[String]) -> Option<usize> {
    let (program, rest) = argv.split_first()?;
    let plain = rest.iter().take_while(|word| PLAIN.contains(&word.as_str())).count();
    (program == "git").then_some(plain.saturating_add(1))
}

/// Returns whether the words are a single git command that writes the repository of the workspace.
pub(crate) fn writes_repository(argv: &[String]) -> bool {
    let command = command_at(argv).and_then(|at| argv.get(at));
    command.is_some_and(|name| WRITING.contains(&name.as_str()))
}

/// Adds the options to a git command that switch off its dangerous features. Returns other programs
/// unchanged.
pub(crate) fn tame(argv: &[String]) -> Vec<String> {
    let Some(at) = command_at(argv) else { return argv.to_vec() };
    let mut words: Vec<String> = argv.iter().take(1).cloned().collect();
    words.extend(FIRST.map(str::to_owned));
    words.extend(argv.iter().skip(1).take(at).cloned());
    if argv.get(at).is_some_and(|name| SHOWING.contains(&name.as_str())) {
        words.extend(["--no-ext-diff", "--no-textconv"].map(str::to_owned));
    }
    words.extend(argv.iter().skip(at.saturating_add(1)).cloned());
    words
}

/// Environment variables for every command, so that git never waits for a terminal or an editor.
pub(crate) const QUIET: [(&str, &str); 6] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_ASKPASS", "true"),
];

/// Returns the environment variables with which git reads only the repository's configuration, without its
/// dangerous settings.
pub(crate) fn settings(confined: Option<&Path>) -> Vec<(String, String)> {
    let mut variables = vec![
        ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
        ("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".to_owned()),
    ];
    // The owner of the repository matters only if programs of the repository would run unconfined.
    let own = confined.map(|workspace| workspace.display().to_string());
    let whose = match own.as_deref() {
        Some(own) => ("safe.directory", own),
        // A confined project may use bare repositories of its own, for example in its tests.
        None => ("safe.bareRepository", "explicit"),
    };
    let settings = SETTINGS.into_iter().chain([whose]);
    let mut count = 0_usize;
    for (name, value) in settings {
        variables.push((format!("GIT_CONFIG_KEY_{count}"), name.to_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{count}"), value.to_owned()));
        count = count.saturating_add(1);
    }
    variables.push(("GIT_CONFIG_COUNT".to_owned(), count.to_string()));
    variables
}

/// Returns the author and committer of the user's own configuration. It is read outside of any repository.
pub(crate) fn identity(git: &Path, home: &Path) -> Vec<(String, String)> {
    let ask = |key: &str| {
        let mut process = std::process::Command::new(git);
        process.args(["config", "--global", "--get", key]).current_dir("/").env_clear().env("HOME", home);
        process.stdin(std::process::Stdio::null());
        let output = windlass_sandbox::start_child(|| process.output()).ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.trim().to_owned()).filter(|text| output.status.success() && !text.is_empty())
    };
    let mut variables = Vec::new();
    for (key, names) in [
        ("user.name", ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"]),
        ("user.email", ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"]),
    ] {
        if let Some(value) = ask(key) {
            variables.extend(names.map(|name| (name.to_owned(), value.clone())));
        }
    }
    variables
}

#[cfg(test)]
mod tests;
