//! A workspace that configures git to run programs: no program runs, and the configuration is not
//! changed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use windlass_checkpoint::{DiffEnd, ForeignChanges};
use windlass_testkit::{Need, require};

use crate::{Scene, scene};

/// Configuration, attributes, hooks and names of all kinds, each of which would make a file outside.
fn hostile(scene: &Scene) {
    let canary = scene.folder.path().join("canary");
    let run = scene.folder.path().join("run");
    fs::write(&run, format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", canary.display())).unwrap();
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    let run = run.display();
    let config = format!(
        "[core]\n\tfsmonitor = {run}\n\thooksPath = hooks\n\tworktree = /etc\n\tpager = {run}\n\teditor = {run}\n\
         \tsshCommand = {run}\n\texcludesFile = {run}\n[filter \"x\"]\n\tclean = {run}\n\tsmudge = {run}\n\tprocess = {run}\n\
         \trequired = true\n[diff \"x\"]\n\ttextconv = {run}\n\tcommand = {run}\n[diff]\n\texternal = {run}\n\
         [gpg]\n\tprogram = {run}\n[commit]\n\tgpgSign = true\n[include]\n\tpath = /etc/passwd\n[alias]\n\tlog = !{run}\n"
    );
    for repository in ["", "nested/"] {
        scene.write(&format!("{repository}.git/config"), &config);
        scene.write(&format!("{repository}.git/HEAD"), "ref: refs/heads/main\n");
        fs::create_dir_all(scene.work.join(format!("{repository}.git/objects"))).unwrap();
        fs::create_dir_all(scene.work.join(format!("{repository}.git/refs"))).unwrap();
        scene.write(&format!("{repository}.git/info/attributes"), "* filter=x diff=x merge=x\n");
        scene.write(
            &format!("{repository}.gitattributes"),
            "* filter=x diff=x text eol=crlf working-tree-encoding=UTF-16\n",
        );
        scene.write(
            &format!("{repository}.gitmodules"),
            "[submodule \"a\"]\n\tpath = nested\n\turl = ext::sh -c x\n",
        );
        for hook in ["pre-commit", "post-commit", "reference-transaction", "post-index-change", "pre-auto-gc"]
        {
            let hook = scene.work.join(repository).join(".git/hooks").join(hook);
            fs::create_dir_all(hook.parent().unwrap()).unwrap();
            symlink(scene.folder.path().join("run"), hook).unwrap();
        }
    }
    for name in ["--exec=x", "-c", "--upload-pack=x", ":(top)", "a b", "$(x)", "`x`", "-- x"] {
        scene.write(&format!("{name}/{name}"), "one\n");
    }
    scene.write("text", "one\n");
}

/// Every name below a folder, with its length and its time.
fn listing(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let found = entry.metadata().unwrap();
        all.push(format!("{} {} {:?}", entry.path().display(), found.len(), found.modified().unwrap()));
        if found.is_dir() {
            all.extend(listing(&entry.path()));
        }
    }
    all.sort();
    all
}

// SECURITY: flags do not make git safe, so it never sees the workspace.
#[test]
fn no_program_of_a_hostile_workspace_runs() {
    let scene = require!(Need::Git, scene());
    hostile(&scene);
    let own = || [".git", "nested/.git"].map(|name| listing(&scene.work.join(name)));
    let listed = own();
    let before = scene.take();
    scene.write("text", "two\n");
    scene.write("--exec=x/--exec=x", "two\n");
    scene.write("$(x)/$(x)", "two\n");
    let after = scene.take();
    let diff = scene.checkpoints.diff(&before, DiffEnd::Checkpoint(&after)).unwrap().text;
    // Attributes do not change how text is treated either.
    assert_eq!(diff.matches("-one\n+two\n").count(), 3, "{diff}");
    assert_eq!(scene.since(&after), "");
    scene.checkpoints.restore(&before, ForeignChanges::Refuse).unwrap();
    assert_eq!(scene.read("text"), "one\n");
    assert_eq!(scene.checkpoints.list().unwrap().len(), 4);
    assert_eq!(own(), listed, "the workspace's own repository was touched");
    let canary = fs::read_to_string(scene.folder.path().join("canary"));
    assert!(canary.is_err(), "{canary:?}");
}

// Attributes that declare a file as binary would hide its changes from a human.
#[test]
fn attributes_of_the_workspace_hide_nothing() {
    let scene = require!(Need::Git, scene());
    scene.write(".gitattributes", "* -diff binary export-ignore linguist-generated\n");
    scene.write("code.rs", "one\n");
    let before = scene.take();
    scene.write("code.rs", "two\n");
    assert!(scene.since(&before).contains("-one\n+two\n"));
}

// Environment variables of this process that configure git are not passed to this git.
#[test]
fn git_variables_are_ignored() {
    require!(Need::Git, scene());
    let own = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let canary = folder.path().join("canary");
    let run = format!("sh -c 'echo x >> {}'", canary.display());
    let config = folder.path().join("config");
    fs::write(&config, format!("[core]\n\tfsmonitor = {run}\n\thooksPath = {}\n", folder.path().display()))
        .unwrap();
    let output = Command::new(own)
        .args(["--exact", "hostile::no_program_of_a_hostile_workspace_runs"])
        .env("GIT_CONFIG_GLOBAL", &config)
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", &run)
        .env("GIT_EXTERNAL_DIFF", &run)
        .env("GIT_DIR", "/nowhere")
        .env("GIT_INDEX_FILE", "/nowhere")
        .env("GIT_OBJECT_DIRECTORY", "/nowhere")
        .env("GIT_EXEC_PATH", folder.path())
        .env("GIT_TRACE", &canary)
        .env("PATH", folder.path().join("none"))
        .output()
        .unwrap();
    assert!(!canary.exists());
    assert!(output.status.success(), "{output:?}");
}

// Files with names that git itself would not check out are stored and restored, and do not prevent other files from
// being stored.
#[test]
fn names_that_git_refuses_are_stored_and_restored() {
    let scene = require!(Need::Git, scene());
    let names = [
        ".GIT/config",
        ".Git/hooks/pre-commit",
        "git~1/config",
        "GIT~1",
        ".git./config",
        ".git /config",
        ".git::$INDEX_ALLOCATION/config",
        ".g\u{200c}it/config",
        "a\\b/.git\\config",
        "...",
        ".gitmodules.d/x",
        "nul",
        "c:x",
        "with \t tab/\u{1b}[31m",
        "trailing.",
        "trailing ",
    ];
    for name in names {
        scene.write(name, "one\n");
    }
    symlink("elsewhere", scene.work.join(".gitmodules")).unwrap();
    symlink("elsewhere", scene.work.join(".gitattributes")).unwrap();
    symlink("/etc/passwd", scene.work.join(".gitignore")).unwrap();
    let before = scene.take();
    for name in names {
        scene.write(name, "two\n");
    }
    fs::remove_file(scene.work.join(".gitmodules")).unwrap();
    assert_eq!(scene.since(&before).matches("-one\n+two\n").count(), names.len());
    scene.take();
    scene.checkpoints.restore(&before, ForeignChanges::Refuse).unwrap();
    assert!(names.iter().all(|name| scene.read(name) == "one\n"));
    assert_eq!(fs::read_link(scene.work.join(".gitmodules")).unwrap(), Path::new("elsewhere"));
}

// An ignore file that is not a regular file or has no end does not block a checkpoint.
#[test]
fn endless_gitignore_files_do_not_block() {
    let scene = require!(Need::Git, scene());
    for folder in ["pipe", "device", "link", "long", "bomb", "deep", "bad"] {
        scene.write(&format!("{folder}/file"), "one\n");
    }
    assert!(Command::new("mkfifo").arg(scene.work.join("pipe/.gitignore")).status().unwrap().success());
    symlink("/dev/zero", scene.work.join("device/.gitignore")).unwrap();
    let outside = scene.folder.path().join("rules");
    fs::write(&outside, "file\n").unwrap();
    symlink(&outside, scene.work.join("link/.gitignore")).unwrap();
    scene.write("long/.gitignore", "x".repeat(3_000_000));
    scene.write("bomb/.gitignore", format!("{}\n", "{a,b}".repeat(200)).repeat(1000) + &"**/".repeat(300));
    scene.write("deep/.gitignore", format!("{}a{}\n", "{".repeat(450), "}".repeat(450)));
    scene.write("bad/.gitignore", [0xff, b'[', b'\n', b'{', b'\n', b'\\', b'\n']);
    let before = scene.take();
    for folder in ["pipe", "device", "link", "long", "bomb", "deep", "bad"] {
        scene.write(&format!("{folder}/file"), "two\n");
    }
    assert_eq!(scene.since(&before).matches("-one\n+two\n").count(), 7);
}
