//! Parts of a repository that decide which programs git runs, and git itself over the stand-ins.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::{TempDir, tempdir};
use windlass_sandbox::{CommandGrants, Level, Repository};

use crate::levels::{apart, helper};

/// Names below `.git` that git takes programs, or the places of programs, from.
const NAMES: [&str; 12] = [
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "hooks",
    "modules",
    "worktrees",
    "info/attributes",
    "objects/info/alternates",
    "objects/info/http-alternates",
    "remotes",
    "branches",
];

fn git(work: &Path, words: &[&str]) -> Output {
    let mut git = Command::new("git");
    git.current_dir(work).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", "/nonexistent");
    git.env("GIT_CONFIG_NOSYSTEM", "1").args(["-c", "user.name=a", "-c", "user.email=a@b"]);
    git.args(words).stdin(Stdio::null()).output().unwrap()
}

fn repository() -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let work = folder.path().canonicalize().unwrap().join("work");
    fs::create_dir(&work).unwrap();
    for words in [&["init", "-q", "-b", "main"][..], &["commit", "-q", "--allow-empty", "-m", "first"]] {
        assert!(git(&work, words).status.success(), "{words:?}");
    }
    (folder, work)
}

fn run(level: Level, work: &Path, script: &str) -> Output {
    let granted = CommandGrants::new(work).with_repository(Repository::Open).look();
    let environment = windlass_sandbox::ChildEnvironment::new()
        .with_value("HOME", "/nonexistent")
        .with_value("GIT_AUTHOR_NAME", "a")
        .with_value("GIT_AUTHOR_EMAIL", "a@b")
        .with_value("GIT_COMMITTER_NAME", "a")
        .with_value("GIT_COMMITTER_EMAIL", "a@b");
    let confinement = granted.confinement.with_environment(environment);
    let mut command = confinement.command(level, &helper(), work, "/bin/sh", ["-c", script]);
    command.stdin(Stdio::null()).output().unwrap()
}

/// All paths below a folder, but not the files of objects.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                waiting.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found.sort_unstable();
    found
}

// security 7
#[test]
fn no_name_that_decides_what_git_runs_can_be_made_in_an_open_repository() {
    for level in apart() {
        let (_folder, work) = repository();
        let dot_git = work.join(".git");
        // Reduce the repository to the names that git requires.
        for name in ["hooks", "info", "branches", "objects/info"] {
            let _ = fs::remove_dir_all(dot_git.join(name));
        }
        fs::remove_file(dot_git.join("config")).unwrap();
        let before = listed(&dot_git);
        for name in NAMES {
            for attack in [
                "echo x > .git/@",
                "mkdir -p .git/@/x",
                "rm -rf .git/@; ln -s /tmp .git/@",
                "echo x > new && mv -fT new .git/@",
                "rmdir .git/@ && echo x > .git/@",
            ] {
                let script = attack.replace('@', name);
                let output = run(level, &work, &script);
                let code = output.status.code().unwrap();
                // A folder cannot be created below a name that is a file, so such a script is skipped.
                assert!(code != 125, "{script}: {output:?}");
                let there = dot_git.join(name).symlink_metadata();
                assert!(there.is_err(), "{level}: {script}: {there:?} {output:?}");
                let _ = fs::remove_file(work.join("new"));
                let _ = fs::remove_dir_all(work.join("other"));
            }
        }
        // A folder above a name is not exchanged either.
        for (above, below) in
            [("info", "attributes"), ("objects/info", "alternates"), ("objects", "info/alternates")]
        {
            let script =
                format!("mv .git/{above} .git/gone; mkdir -p .git/{above}; echo x > .git/{above}/{below}");
            run(level, &work, &script);
            assert!(dot_git.join(above).join(below).symlink_metadata().is_err(), "{level}: {script}");
            // `mv` makes a copy where it cannot rename.
            let _ = fs::remove_dir_all(dot_git.join("gone"));
        }
        assert_eq!(listed(&dot_git), before, "{level}");
    }
}

/// Rebases the branch `other`, whose last commit is a merge of `main`, onto its own last commit but one. The
/// result has the files of the merge in a linear history, and git prints only its usual output, in all
/// versions since 2.30.
fn rebase(level: Level, work: &Path) {
    let output =
        run(level, work, "git rebase -q --exec 'test -e a && git log -n 1 --format=%s >> ran' HEAD~1");
    assert!(output.status.success(), "{level}: {output:?}");
    // Older versions name each command, and the branch in spite of `-q`. Progress ends with a carriage return, and
    // with the sequence that clears a line unless `TERM` is `dumb`.
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_known = |line: &str| {
        line.starts_with("Executing: test -e a && git log")
            || line.starts_with("Rebasing (")
            || line == "Successfully rebased and updated refs/heads/other."
    };
    for line in said
        .split(['\n', '\r'])
        .map(|line| line.trim().trim_start_matches("\u{1b}[K"))
        .filter(|line| !line.is_empty())
    {
        assert!(is_known(line), "{level}: {line:?} of {said:?}");
    }
    let told = |words: &[&str]| {
        let output = git(work, words);
        assert!(output.status.success(), "{level}: {words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    };
    assert_eq!(
        fs::read_to_string(work.join("ran")).unwrap(),
        "third\n",
        "{level}: the command ran for each commit"
    );
    fs::remove_file(work.join("ran")).unwrap();
    assert_eq!(told(&["log", "--format=%s"]), "third\nfourth\nsecond\nfirst", "{level}");
    assert_eq!(told(&["symbolic-ref", "HEAD"]), "refs/heads/other", "{level}");
    assert_eq!(told(&["status", "--porcelain"]), "", "{level}");
    assert_eq!(told(&["diff", "--stat", "v1", "HEAD"]), "", "{level}: the files are those of the merge");
    let texts = ["a", "b"].map(|name| fs::read_to_string(work.join(name)).unwrap());
    assert_eq!(texts, ["two\n", "x\n"], "{level}");
    for state in ["rebase-merge", "rebase-apply", "REBASE_HEAD"] {
        assert!(!work.join(".git").join(state).exists(), "{level}: {state} is left");
    }
}

#[test]
fn git_works_over_the_stand_ins() {
    for level in apart() {
        let (_folder, work) = repository();
        for name in ["hooks", "info", "branches", "description"] {
            let path = work.join(".git").join(name);
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
        let before = listed(&work.join(".git"));
        let script = "set -e; export GIT_CONFIG_GLOBAL=/dev/null
            echo one > a; git add a; git commit -q -m second; git branch other
            echo two > a; git commit -q -a -m third; git checkout -q other; echo x > b; git add b; git commit -q -m fourth
            git merge -q -m merged main; git tag v1; git stash list; git log --oneline | wc -l; git status --short";
        let output = run(level, &work, script);
        assert!(output.status.success() && output.stderr.is_empty(), "{level}: {output:?}");
        rebase(level, &work);
        let script = "set -e; git gc -q; git fsck; git worktree prune; git reflog expire --all
            git diff main other --stat; git rev-parse --git-common-dir; git notes list; git submodule status";
        let output = run(level, &work, script);
        assert!(output.status.success(), "{level}: {output:?}");
        // No program complains about the placeholder of a missing name.
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{level}");
        let made = listed(&work.join(".git"));
        for name in NAMES.iter().filter(|name| **name != "config") {
            let path = work.join(".git").join(name);
            assert_eq!(made.contains(&path), before.contains(&path), "{level}: {name}");
        }
        // Also with a configuration for each work tree, which is not there.
        assert!(git(&work, &["config", "core.repositoryFormatVersion", "1"]).status.success());
        assert!(git(&work, &["config", "extensions.worktreeConfig", "true"]).status.success());
        let output = run(level, &work, "git status --short && git commit -q --allow-empty -m more");
        assert!(output.status.success() && output.stderr.is_empty(), "{level}: {output:?}");
        assert!(git(&work, &["status"]).status.success());
    }
}

// A link in the place of a name is not taken for a stand-in.
#[test]
fn a_name_that_is_a_link_is_refused() {
    for level in apart() {
        let (_folder, work) = repository();
        symlink("/tmp", work.join(".git/modules")).unwrap();
        let output = run(level, &work, "echo ran");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(125), 0), "{output:?}");
    }
}
