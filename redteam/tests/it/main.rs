//! The harness as a program: on catalogues that must fail, and on the shared one if it exists.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; it starts the program and reads its files"
)]

mod attacks;
mod catalogue;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The output of the harness: a value for each case and the sums.
pub(crate) struct Ended {
    pub(crate) is_success: bool,
    pub(crate) cases: Vec<Value>,
    pub(crate) sums: (u64, u64, u64),
}

/// Runs the harness on a file.
#[track_caller]
pub(crate) fn run(file: &Path, words: &[&str]) -> Ended {
    let output = Command::new(env!("CARGO_BIN_EXE_windlass-redteam"))
        .arg("--file")
        .arg(file)
        .args(["--json", "--scratch", env!("CARGO_TARGET_TMPDIR")])
        .args(words)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let mut cases: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!cases.is_empty(), "the harness said nothing: {complaint}");
    let last = cases.pop().unwrap();
    let sum = |name: &str| last[name].as_u64().unwrap();
    Ended { is_success: output.status.success(), cases, sums: (sum("passed"), sum("failed"), sum("skipped")) }
}
