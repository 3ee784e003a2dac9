//! Checks of Rust files: names, headers, sizes.

use super::Findings;

/// File names that do not describe the content.
const EMPTY_NAMES: [&str; 9] =
    ["util", "utils", "helper", "helpers", "common", "types", "misc", "mod", "shared"];

const WARN_LINES: usize = 300;
const FAIL_LINES: usize = 400;
const LIB_LINES: usize = 60;
/// The attribute by which docs.rs names the feature of each item; it does not count as a line of a `lib.rs`.
const FEATURE_NAMES: &str = "#![cfg_attr(docsrs, feature(doc_cfg))]";

pub(super) fn check(path: &str, content: &str, found: &mut Findings) {
    let Some(stem) = path.strip_suffix(".rs") else {
        return;
    };
    if let Some(name) = stem.split('/').find(|name| EMPTY_NAMES.contains(name)) {
        found.errors.push(format!("{path}: name it after the thing inside; `{name}` names none"));
    }
    if !content.starts_with("//!") && !content.starts_with("#![") {
        found.errors.push(format!("{path}: the first line is `//!` and states the purpose of the file"));
    }
    if content.lines().any(|line| line.trim_start().starts_with("#[ignore")) {
        found.errors.push(format!("{path}: an ignored test is not a test: run it, or take it out"));
    }
    check_size(path, content, found);
    check_children(path, content, found);
    if path.starts_with("crates/") && path.ends_with("/src/lib.rs") {
        check_lib(path, content, found);
    }
}

fn check_size(path: &str, content: &str, found: &mut Findings) {
    let is_product = (path.starts_with("crates/") || path.starts_with("xtask/")) && path.contains("/src/");
    if !is_product || path.ends_with("/tests.rs") || path.contains("/tests/") {
        return;
    }
    let lines = lines_without_tests(content);
    let message = format!("{path}: {lines} lines without tests: look for the seam");
    if lines > FAIL_LINES {
        found.errors.push(format!("{message} ({FAIL_LINES} is the end)"));
    } else if lines > WARN_LINES {
        found.warnings.push(message);
    }
}

/// A child inherits ignored and blocked signals, so each crate starts its children through one function. The sandbox's
/// helper resets its own signals and starts one child, and the test kit starts the test program again.
fn check_children(path: &str, content: &str, found: &mut Findings) {
    let is_free = ["crates/sandbox/", "crates/testkit/"].iter().any(|folder| path.starts_with(folder));
    let is_product = path.starts_with("crates/") && path.contains("/src/") && !is_free;
    let makes_command = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        let starts_word = |at: usize| {
            let before = code.get(..at).unwrap_or_default();
            !before.ends_with(|letter: char| letter.is_alphanumeric())
        };
        code.match_indices("Command::new(").any(|(at, _)| starts_word(at)) && !code.contains("clap")
    };
    if is_product && content.lines().any(makes_command) && !content.contains("start_child(") {
        found.errors.push(format!("{path}: start a process inside of `windlass_sandbox::start_child`"));
    }
}

fn check_lib(path: &str, content: &str, found: &mut Findings) {
    let lines = content.lines().filter(|line| *line != FEATURE_NAMES).count();
    if lines > LIB_LINES {
        found
            .errors
            .push(format!("{path}: {lines} lines; a lib.rs has modules and re-exports, {LIB_LINES} at most"));
    }
    if !content.starts_with("#![doc = include_str!(\"../README.md\")]") {
        found.errors.push(format!("{path}: begins with `#![doc = include_str!(\"../README.md\")]`"));
    }
}

/// Counts lines outside `#[cfg(test)] mod name { .. }` blocks. rustfmt closes such a block at its own
/// indentation, so braces need not be counted.
pub(super) fn lines_without_tests(content: &str) -> usize {
    let mut count: usize = 0;
    let mut lines = content.lines();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            count = count.saturating_add(1);
            continue;
        }
        let opens_block = lines.next().is_some_and(|next| next.ends_with('{'));
        if opens_block {
            // Skip the block.
            let _ = lines.by_ref().find(|line| *line == "}");
        }
    }
    count
}
