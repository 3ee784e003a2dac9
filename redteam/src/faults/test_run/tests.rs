//! Results of tests: failed, not built, timed out and missing are distinguished.

use std::process::Command;
use std::time::Duration;

use super::{Stop, TestRun, build_within};

const LONG: Duration = Duration::from_mins(10);
const SHORT: Duration = Duration::from_millis(50);

fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

fn problem(run: &TestRun, test: &'static str) -> String {
    run.problem(("a", test)).unwrap()
}

#[test]
fn a_failed_test_is_reported_with_its_last_lines() {
    let output = "test x::good ... ok\ntest x::bad ... FAILED\ntest x::both ... ok\n\nfailures:\n\n\
        ---- x::bad stdout ----\n\nthread 'x::bad' panicked at a.rs:1:2:\n3 processes survived\n\n\n\
        failures:\n    x::bad\n\ntest x::both ... FAILED\n";
    let run = TestRun::run_within(sh(&format!("printf '%s' \"{output}\"; exit 101")), LONG);
    assert_eq!(run.problem(("a", "x::good")), None);
    let bad = problem(&run, "x::bad");
    assert!(
        bad.starts_with("x::bad of a failed: thread") && bad.ends_with("\n3 processes survived"),
        "{bad}"
    );
    // Two crates can have a test of the same path.
    assert!(problem(&run, "x::both").starts_with("x::both of a failed: "));
    assert_eq!(problem(&run, "x::other"), "x::other of a does not exist");
}

#[test]
fn build_failures_are_distinguished_from_failed_tests() {
    let script = "seq 20 >&2; echo 'error: could not compile' >&2; exit 101";
    let stop = build_within(sh(script), LONG).unwrap_err();
    let run = TestRun { stop: Some(stop), ..TestRun::default() };
    let text = problem(&run, "x");
    assert!(
        text.starts_with("x of a did not build: 14\n") && text.ends_with("\nerror: could not compile"),
        "{text}"
    );
    assert_eq!(build_within(sh("exit 0"), LONG), Ok(()));
}

#[test]
fn an_unstartable_command_is_distinguished_from_a_crashed_run() {
    let missing = || Command::new("/no/such/cargo");
    let stop = build_within(missing(), LONG).unwrap_err();
    assert!(matches!(stop, Stop::NotStarted(_)), "{stop:?}");
    let run = TestRun::run_within(missing(), LONG);
    let text = problem(&run, "x");
    assert!(text.starts_with("x of a was not run, because cargo did not start: "), "{text}");
    // A crash of a test process leaves the results of the tests before it.
    let script =
        "echo 'test x ... ok'; echo 'error: test failed' >&2; echo '(signal: 6, SIGABRT)' >&2; exit 101";
    let run = TestRun::run_within(sh(script), LONG);
    assert_eq!(run.problem(("a", "x")), None);
    assert_eq!(
        problem(&run, "y"),
        "y of a has no result, because the run failed without a failed test: error: test failed\n(signal: 6, SIGABRT)"
    );
}

#[test]
fn a_phase_that_takes_too_long_is_reported_as_such() {
    let stop = build_within(sh("echo Compiling a >&2; sleep 600 & wait"), SHORT).unwrap_err();
    assert!(matches!(stop, Stop::TimedOut { phase: "build", .. }), "{stop:?}");
    let run = TestRun { stop: Some(stop), ..TestRun::default() };
    assert!(problem(&run, "x").starts_with("x of a timed out: the build took over 0 s: "));
    // The results of tests that ended in time stay.
    let run = TestRun::run_within(sh("echo 'test x ... ok'; sleep 600 & wait"), Duration::from_secs(2));
    assert!(problem(&run, "y").starts_with("y of a timed out: the run took over 2 s: "));
}
