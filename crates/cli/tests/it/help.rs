//! Help and usage errors.

use crate::windlass::Windlass;

#[test]
fn every_command_has_help_with_an_example() {
    let windlass = Windlass::new();
    for command in [
        &["demo"][..],
        &["run"],
        &["parse"],
        &["json"],
        &["encode"],
        &["tool"],
        &["tool", "list"],
        &["tool", "show"],
        &["tool", "call"],
        &["policy"],
        &["policy", "explain"],
        &["mock"],
    ] {
        let ended = windlass.run(&[command, &["--help"]].concat());
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{command:?}");
        assert!(ended.out.contains("Example: "), "{command:?}: {}", ended.out);
    }
    let ended = windlass.run(&["--help"]);
    assert_eq!(ended.code, Some(0));
    assert!(ended.out.contains("windlass demo"), "{}", ended.out);
}

#[track_caller]
fn check_usage(arguments: &[&str], said: &str) {
    let windlass = Windlass::new();
    let ended = windlass.run(arguments);
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{}", ended.err);
    assert!(ended.err.contains(said), "{said} is not in {}", ended.err);
    assert!(!windlass.state().exists());
}

#[test]
fn a_usage_error_is_said_with_status_2() {
    check_usage(&[], "Usage: windlass");
    check_usage(&["fly"], "fly");
    check_usage(&["run"], "TASK");
    check_usage(&["run", "task", "--resume", "x"], "cannot be used with");
    check_usage(&["run", "task", "--yes", "--deny"], "cannot be used with");
    check_usage(&["run", "task", "--wire", "morse"], "morse");
    check_usage(&["run", "task", "--max-turns", "many"], "many");
    check_usage(&["parse", "file"], "--wire");
    check_usage(&["parse", "--wire", "anthropic"], "FILE");
    check_usage(&["mock"], "--script");
    check_usage(&["tool", "call", "read_file"], "ARGUMENTS");
}
