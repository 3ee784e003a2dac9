//! The workspace that every case starts with: a small project with a history.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

/// The names and bytes of the files in the workspace.
const FILES: &[(&str, &[u8])] = &[
    // tidy: sample
    ("README.md", b"# Fixture\n\nA small project. TODO: say more.\n\nFourth line.\nFifth line.\nSixth\n"),
    ("Cargo.toml", b"[package]\nname = \"fixture\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    (".gitignore", b"target\n.env\n"),
    // tidy: sample
    ("src/main.rs", b"fn main() {\n    println!(\"hello\"); // TODO\n}\n"),
    ("src/lib.rs", b"pub fn one() -> u32 {\n    1\n}\n"),
    ("src/a.rs", b"fn a() {}\n"),
    ("src/b.rs", b"fn b() {}\n"),
    ("src/deep/mod.rs", b"pub mod deeper;\n"),
    ("docs/a.md", b"# A\n"),
    ("public/index.html", b"<!doctype html>\n"),
    ("sub/a.txt", b"in sub\n"),
    ("victim/x", b"to be kept\n"),
    ("tools/readme.txt", b"tools\n"),
    ("a", b"a\n"),
    ("b", b"b\n"),
    ("a.txt", b"dup\nother\ndup\n"),
    ("b.txt", b"b\n"),
    ("x.py", b"print('x')\n"),
    ("never_read.txt", b"nobody read this yet\n"),
    ("magic", b"0 string x x\n"),
    ("latin1.txt", b"caf\xe9\nprice: 5\nna\xefve\n"),
    ("binary.bin", b"\x7fELF\x00\x01\na\n\x00\xff\xfe\n"),
    ("evil.sh", b"#!/bin/sh\ntouch ../outside/canary\n"),
    ("evil.mk", b"all:\n\ttouch ../outside/canary\n"),
];

/// The number of commits before the last one; it makes a log long enough for a pager.
const HISTORY: usize = 400;
const LINES: &str = "one more line of the history, which makes a patch of some length\n";

/// Creates the project and its history. The last commit has a signature that cannot be verified.
pub(super) fn make(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    git(folder, &["init", "-q", "--template=", "-b", "main"], b"")?;
    git(folder, &["fast-import", "--quiet"], history().as_bytes())?;
    git(folder, &["reset", "-q", "--hard"], b"")?;
    for (name, bytes) in FILES {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().context("every file has a folder")?)?;
        fs::write(&path, bytes)?;
    }
    fs::set_permissions(folder.join("evil.sh"), fs::Permissions::from_mode(0o755))?;
    git(folder, &["add", "-A"], b"")?;
    let tree = git(folder, &["write-tree"], b"")?;
    let parent = git(folder, &["rev-parse", "HEAD"], b"")?;
    let commit = format!(
        "tree {}\nparent {}\nauthor Fixture <fixture@example.test> 1700000001 +0000\n\
         committer Fixture <fixture@example.test> 1700000001 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n \
         iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----\n\nThe last change\n",
        tree.trim(),
        parent.trim()
    );
    let head = git(folder, &["hash-object", "-t", "commit", "-w", "--stdin"], commit.as_bytes())?;
    git(folder, &["update-ref", "refs/heads/main", head.trim()], b"")?;
    git(folder, &["repack", "-adq"], b"")?;
    Ok(())
}

fn history() -> String {
    use std::fmt::Write as _;
    let mut stream = String::new();
    for number in 0..HISTORY {
        let content = LINES.repeat(number % 40 + 1);
        let message = format!("change {number}");
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter Fixture <fixture@example.test> 1700000000 +0000\n\
             data {}\n{message}\nM 100644 inline history.txt\ndata {}\n{content}\n",
            message.len(),
            content.len()
        );
    }
    stream
}

fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> anyhow::Result<String> {
    let mut process = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("git cannot be started")?;
    process.stdin.take().context("stdin was piped")?.write_all(input)?;
    let output = process.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {} ended with {}: {said}", arguments.join(" "), output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Copies a folder with its contents. The copies are newer than git's index, so that `git status` reads them
/// again.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&source, &target)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
        } else if entry.file_name() != OsStr::new("index.lock") {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}
