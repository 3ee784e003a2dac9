//! `windlass policy check`, `test` and `shadow`, and which files a policy is read from (H11).

use std::os::unix::fs::PermissionsExt;

use crate::program::{Place, provider, text};

const DOCS: &str = "[[rule]]\nid='docs'\naction='allow'\neffect='write'\npath='docs/**'\n";

fn write(place: &Place, name: &str, content: &str) {
    let file = place.project().join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
}

/// Returns the verdict and the rule for one call, under the policy file `p.toml` if it exists.
fn decided(place: &Place, call: &str) -> String {
    let mut arguments = vec!["policy", "explain"];
    if place.project().join("p.toml").exists() {
        arguments.extend(["--policy", "p.toml"]);
    }
    let output = place.run_with_input(&arguments, call);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    format!("{} {}", line["decision"].as_str().unwrap(), line["rule_id"].as_str().unwrap())
}

#[test]
fn check_lists_the_rules_or_reports_the_error() {
    let place = Place::new();
    write(&place, "good.toml", &format!("{DOCS}[[rule]]\nid='git'\naction='allow'\nargv=['git']\n"));
    let good = place.run(&["policy", "check", "--policy", "good.toml"]);
    let told = text(&good.stdout);
    assert!(
        good.status.success() && told.contains("good.toml: good") && told.contains("docs (User)"),
        "{told}"
    );
    assert!(told.contains("warning: rule git: `git` can run anything"), "{told}");
    for (content, words) in [
        ("[[rule]]\nid='a'\naction='deny'\npaht='x'\n", "unknown field `paht`"),
        ("[[rule]]\nid='a'\naction='deny'\npath='['\n", "the glob [ cannot be read"),
        ("[[rule]]\nid='d.ask'\naction='deny'\n", "the id is already used"),
        ("[[rule]]\nid='a'\naction='allow'\nhost='https://docs.rs'\n", "is not a valid host"),
        (
            "[[rule]]\nid='a'\naction='allow'\nargv=['git','log']\nmatch=['git logout']\n",
            "the example `git logout` is one that it does not fit",
        ),
        (
            "[[rule]]\nid='a'\naction='deny'\nargv=['rm']\nnot_match=[\"sudo 'r'm -rf x\"]\n",
            "is one that it fits, under not_match",
        ),
    ] {
        write(&place, "bad.toml", content);
        let bad = place.run(&["policy", "check", "--policy", "bad.toml"]);
        assert_eq!(bad.status.code(), Some(1), "{content}");
        assert!(text(&bad.stdout).contains(words), "{}", text(&bad.stdout));
    }
}

// SECURITY "Load errors"
#[test]
fn an_invalid_user_policy_stops_and_an_invalid_project_policy_asks() {
    let place = Place::new();
    let read = r#"{"tool":"read_file","input":{"path":"a.txt"}}"#;
    assert_eq!(decided(&place, read), "allow b.read");
    write(&place, ".windlass/policy.toml", "[[rule]]\nid='x'\naction='allow'\n");
    assert_eq!(decided(&place, read), "ask p.rejected_policy");
    write(&place, ".windlass/policy.toml", "[[rule]]\nid='x'\naction='deny'\npath='*.txt'\n");
    assert_eq!(decided(&place, read), "deny x");
    write(&place, "p.toml", "not toml");
    let stopped = place.run_with_input(&["policy", "explain", "--policy", "p.toml"], read);
    assert!(!stopped.status.success() && text(&stopped.stderr).contains("is refused"));
    write(&place, "p.toml", DOCS);
    std::fs::set_permissions(place.project().join("p.toml"), PermissionsExt::from_mode(0o666)).unwrap();
    let open = place.run_with_input(&["policy", "explain", "--policy", "p.toml"], read);
    assert!(text(&open.stderr).contains("every user can write to it"), "{}", text(&open.stderr));
    for mode in [0o660, 0o664, 0o620] {
        std::fs::set_permissions(place.project().join("p.toml"), PermissionsExt::from_mode(mode)).unwrap();
        let shared = place.run_with_input(&["policy", "explain", "--policy", "p.toml"], read);
        let told = text(&shared.stderr);
        assert!(!shared.status.success() && told.contains("chmod g-w"), "{mode:o}: {told}");
    }
    std::fs::set_permissions(place.project().join("p.toml"), PermissionsExt::from_mode(0o640)).unwrap();
    assert_eq!(decided(&place, read), "deny x");
}

#[test]
fn no_call_writes_the_policy_that_decides_about_it() {
    let place = Place::new();
    write(&place, "p.toml", "[[rule]]\nid='all'\naction='allow'\n");
    let call = |path: &str| format!(r#"{{"tool":"write_file","input":{{"path":"{path}","content":"x"}}}}"#);
    assert_eq!(decided(&place, &call("new.txt")), "allow all");
    for path in ["p.toml", "./src/../p.toml", "P.TOML", ".windlass/policy.toml", ".WINDLASS./x"] {
        assert_eq!(decided(&place, &call(path)), "deny f.own_policy", "{path}");
    }
    let command = r#"{"tool":"run_command","input":{"command":"echo x > p.toml"}}"#;
    assert_eq!(decided(&place, command), "deny f.own_policy");
}

#[test]
fn policy_test_counts_unexpected_decisions() {
    let place = Place::new();
    write(&place, "p.toml", DOCS);
    let calls = [
        r#"{"tool":"write_file","input":{"path":"docs/a.md","content":"x"},"expect":"allow","rule":"docs"}"#,
        r#"{"tool":"run_command","input":{"command":"make"},"expect":"allow"}"#,
        r#"{"tool":"run_command","input":{"command":"make"},"expect":"ask"}"#,
    ];
    let output = place.run_with_input(&["policy", "test", "--policy", "p.toml"], &calls.join("\n"));
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("line 2: run_command is ask by d.ask, and not allow"), "{told}");
    assert!(told.ends_with("2 passed, 1 failed\n"), "{told}");
    let silent = place.run_with_input(&["policy", "test"], r#"{"tool":"fly","input":{}}"#);
    assert!(text(&silent.stderr).contains("line 1 has neither"), "{}", text(&silent.stderr));
}

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "read_file", "arguments": {"path": "a.txt"}}},
               {"call": {"name": "write_file", "arguments": {"path": "docs/a.md", "content": "x"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn shadow_lists_the_decisions_of_a_run_that_would_change() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = provider.base_url();
    let run = ["run", "do it", "--base-url", &url, "--wire", "anthropic", "--model", "m", "--yes"];
    assert!(place.run(&run).status.success());
    let id = place.run_id();
    write(&place, "p.toml", DOCS);
    let output = place.run(&["policy", "shadow", "--policy", "p.toml", &id]);
    let told = text(&output.stdout);
    assert!(told.contains("write_file: ask by d.ask -> allow by docs  write docs/a.md"), "{told}");
    assert!(told.ends_with("3 decisions, 1 would change, 0 recorded without their facts\n"), "{told}");
    write(&place, "p.toml", "[[rule]]\nid='no'\naction='deny'\neffect='read'\n");
    let output = place.run(&["policy", "shadow", "--policy", "p.toml", "--json", &id]);
    let told = text(&output.stdout);
    assert!(told.contains(r#""now":"deny","now_rule":"no""#), "{told}");
    assert_eq!(place.run(&["policy", "shadow", "--policy", "p.toml", "nope"]).status.code(), Some(1));
}
