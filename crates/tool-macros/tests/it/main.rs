//! Code that the macros refuse, with the message and the place that a user sees.

use std::process::Command;

use windlass_testkit::{Need, require};

/// The compiler whose words are recorded in `tests/unfit`.
const RECORDED: &str = "rustc 1.95.";

#[test]
fn macro_errors_point_to_their_source() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/refused/*.rs");
    // These messages are the compiler's own, and other versions have other messages.
    let recorded = is_recorded().then_some(()).ok_or(format!("the recorded words are those of {RECORDED}x"));
    require!(Need::Compiler, recorded);
    cases.compile_fail("tests/unfit/*.rs");
}

#[expect(clippy::disallowed_methods, reason = "only the compiler knows its version")]
fn is_recorded() -> bool {
    let version = Command::new("rustc").arg("--version").output();
    version.is_ok_and(|output| output.stdout.starts_with(RECORDED.as_bytes()))
}
