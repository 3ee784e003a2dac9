//! Adds the commit to the version of the program: from git in a checkout, from cargo's file in a package.
#![expect(clippy::disallowed_methods, reason = "a build script starts git and reads files")]

use std::path::Path;
use std::process::Command;

/// Number of digits of a commit.
const DIGITS: usize = 10;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match find_commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=WINDLASS_VERSION={version}");
}

/// Returns the commit of the sources, if it is known.
fn find_commit() -> Option<String> {
    let packaged = Path::new(".cargo_vcs_info.json");
    println!("cargo::rerun-if-changed=build.rs");
    let commit = if packaged.exists() {
        let text = std::fs::read_to_string(packaged).ok()?;
        let (_, rest) = text.split_once("\"sha1\"")?;
        rest.split('"').nth(1)?.to_owned()
    } else {
        // The log of HEAD changes with each commit and checkout.
        let log = ask_git(&["rev-parse", "--git-path", "logs/HEAD"])?;
        println!("cargo::rerun-if-changed={log}");
        ask_git(&["rev-parse", "HEAD"])?
    };
    let is_commit = commit.len() >= DIGITS && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { commit.get(..DIGITS).map(str::to_owned) } else { None }
}

fn ask_git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
