//! What the macros refuse, with the words and the place that a user sees.

use std::process::Command;

/// The compiler whose words are recorded in `tests/unfit`.
const RECORDED: &str = "rustc 1.95.";

#[test]
fn what_is_refused_is_told_where_it_stands() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/refused/*.rs");
    // Here the words are the compiler's own, and another version has others.
    if is_recorded() {
        cases.compile_fail("tests/unfit/*.rs");
    } else {
        eprintln!("skipped: tool-macros tests/unfit, whose words are those of {RECORDED}x");
    }
}

#[expect(clippy::disallowed_methods, reason = "only the compiler knows its version")]
fn is_recorded() -> bool {
    let version = Command::new("rustc").arg("--version").output();
    version.is_ok_and(|output| output.stdout.starts_with(RECORDED.as_bytes()))
}
