//! A small catalogue with cases that must fail, because a harness that cannot fail shows nothing.

use std::fs;

use serde_json::{Value, json};

use crate::run;

const ACCEPT_ALL: [&str; 5] = ["allow", "ask", "deny", "error", "contained"];

fn setups() -> Value {
    json!({
        "P-ask": {"rules": [["allow", "read_file", "@WS@/**"]], "default": "ask"},
        "P-strict": {"extends": "P-ask", "rules": [["deny", "read_file", "@WS@/docs/**"]]},
        "P-canary": {"extends": "P-ask", "files": {"../outside/canary": "already here"}},
        "P-odd": {"extends": "P-ask", "weather": "fine"},
    })
}

fn case(tool: &str, input: &Value, setup: &str, mode: &str) -> Value {
    json!({
        "id": "X", "category": "own", "kind": "attack", "tool": tool, "input": input, "setup": setup, "mode": mode,
        "expected": "ask", "accept": ACCEPT_ALL,
    })
}

fn with(mut case: Value, name: &str, value: Value) -> Value {
    case[name] = value;
    case
}

/// Runs one case: how it ended, and why.
#[track_caller]
fn ending(case: &Value) -> (String, String) {
    let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    fs::write(file.path(), json!({"setups": setups(), "attacks": [case]}).to_string()).unwrap();
    let ended = run(file.path(), &[]);
    let line = &ended.cases[0];
    assert_eq!(ended.is_success, line["ending"] != "failed");
    (line["ending"].as_str().unwrap().to_owned(), format!("{} {}", line["observed"], line["why"]))
}

#[track_caller]
fn check(case: &Value, expected: &str, why: &str) {
    let (ending, told) = ending(case);
    assert_eq!(ending, expected, "{told}");
    assert!(told.contains(why), "{told}");
}

fn read(path: &str) -> Value {
    case("read_file", &json!({"path": path}), "P-ask", "decide")
}

#[test]
fn accepted_cases_pass() {
    check(&with(read("README.md"), "accept", json!(["allow"])), "passed", "allow");
    let strict = case("read_file", &json!({"path": "docs/a.md"}), "P-strict", "decide");
    check(&with(strict, "accept", json!(["deny"])), "passed", "deny");
    let run = case("read_file", &json!({"path": "README.md"}), "P-ask", "execute");
    let asserts =
        json!({"executed": 1, "result_contains": "Fixture", "outside_unchanged": true, "survivors": 0});
    check(&with(with(run, "accept", json!(["allow"])), "assert", asserts), "passed", "allow");
}

#[test]
fn an_unmatched_accept_list_fails() {
    check(&with(read("README.md"), "accept", json!(["deny", "ask"])), "failed", "not accepted");
    check(&with(read("README.md"), "accept", json!([])), "failed", "not accepted");
}

#[test]
fn an_assert_that_does_not_hold_fails() {
    let canary = case("read_file", &json!({"path": "README.md"}), "P-canary", "decide");
    check(&with(canary, "assert", json!({"file_absent": "@CANARY@"})), "failed", "canary is there");
    let run = case("read_file", &json!({"path": "README.md"}), "P-ask", "execute");
    for (name, wanted) in [
        ("executed", json!(0)),
        ("result_lacks", json!("Fixture")),
        ("wall_s_max", json!(0)),
        ("rss_mb_max", json!(1)),
        ("result_bytes_max", json!(3)),
        ("outside_unchanged", json!(false)),
        ("result_contains", json!("@SECRET@")),
    ] {
        check(&with(run.clone(), "assert", json!({ name: wanted })), "failed", "");
    }
}

#[test]
fn unknown_cases_fail() {
    check(
        &with(read("README.md"), "assert", json!({"feels_safe": true})),
        "failed",
        "`feels_safe` is not known",
    );
    // The name of the assertion is known, but this case does not measure it.
    check(&with(read("README.md"), "assert", json!({"routed_ok": 2})), "failed", "was not measured");
    check(&case("read_file", &json!({"path": "a"}), "P-odd", "decide"), "failed", "`weather` is not known");
    check(&case("read_file", &json!({"path": "a"}), "P-none", "decide"), "failed", "unknown setup P-none");
    check(&case("policy", &json!({"whim": 1}), "P-ask", "decide"), "failed", "`whim`");
    check(&with(read("README.md"), "mode", json!("hope")), "failed", "cannot be read");
    check(&with(read("README.md"), "moood", json!("decide")), "failed", "cannot be read");
}

#[test]
fn a_case_of_a_missing_tool_is_skipped() {
    let absent = case("launch_rocket", &json!({"at": "dawn"}), "P-ask", "execute");
    check(&with(absent, "accept", json!(["error"])), "skipped", "the tool launch_rocket does not exist");
}

#[test]
fn a_case_that_never_runs_is_only_decided() {
    let write = case("write_file", &json!({"path": "new.txt", "content": "x"}), "P-ask", "execute");
    let write = with(write, "never_execute", json!(true));
    check(&with(write, "assert", json!({"executed": 0, "file_absent": "@WS@/new.txt"})), "passed", "ask");
}

#[test]
fn a_failed_case_leaves_nothing_in_the_way_of_another_catalogue() {
    let catalogue = |accept: Value| {
        let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        let case = with(read("README.md"), "accept", accept);
        fs::write(file.path(), json!({"setups": setups(), "attacks": [case]}).to_string()).unwrap();
        file
    };
    let (fails, passes) = (catalogue(json!([])), catalogue(json!(["allow"])));
    let ended = run(fails.path(), &["--file", passes.path().to_str().unwrap()]);
    assert_eq!(ended.sums, (1, 1, 0), "{:?}", ended.cases);
}
