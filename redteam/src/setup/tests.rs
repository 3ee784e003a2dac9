//! Tests of the values that the members of a setup are converted to.

use serde_json::{Value, json};
use windlass_hitl::Action;

use super::{Answers, EarlierAnswers, Matcher, Otherwise, Setup};

#[track_caller]
fn read(words: &Value) -> anyhow::Result<Setup> {
    let setups =
        json!({ "P": words, "base": {"rules": [["allow", "*", "*"]], "files": {"a": "1", "b": "@X@"}} });
    Setup::read(setups.as_object().unwrap(), "P", |text| text.replace("@X@", "filled"))
}

#[track_caller]
fn refused(words: &Value, why: &str) {
    let error = format!("{:#}", read(words).unwrap_err());
    assert!(error.contains(why), "{error}");
}

#[test]
fn rules_add_up_and_files_replace_each_other() {
    let words = json!({
        "extends": "base",
        "rules": [["deny", "run_command", ["rm"]], ["ask", "write_file", "@X@/**"]],
        "files": {"a": "2"},
    });
    let setup = read(&words).unwrap();
    let actions: Vec<_> = setup.rules.iter().map(|rule| rule.action).collect();
    assert_eq!(actions, [Action::Allow, Action::Deny, Action::Ask]);
    assert_eq!(setup.rules[0].tool, None);
    assert_eq!(setup.rules[1].matcher, Matcher::Argv(vec!["rm".into()]));
    assert_eq!(setup.rules[2].matcher, Matcher::Glob("filled/**".into()));
    assert_eq!((setup.files["a"].as_str(), setup.files["b"].as_str()), ("2", "filled"));
}

#[test]
fn approver_and_learned_settings_are_parsed() {
    let words = json!({
        "default": "deny",
        "approver": "answers yes to everything",
        "learned": "50 approvals, 1 denials for every tool",
    });
    let setup = read(&words).unwrap();
    assert_eq!((setup.otherwise, setup.answers), (Otherwise::Deny, Answers::Yes));
    assert_eq!(setup.heard, [EarlierAnswers { approved: 50, denied: 1, ..EarlierAnswers::default() }]);
    let scoped =
        read(&json!({"learned": {"edit_file scope=src/**": {"approved": 3, "timeouts": 2}}})).unwrap();
    let (tool, scope) = (Some("edit_file".into()), Some("src/**".into()));
    assert_eq!(scoped.heard, [EarlierAnswers { tool, scope, approved: 3, denied: 0, unanswered: 2 }]);
}

#[test]
fn unknown_setup_keys_and_values_are_errors() {
    refused(&json!({"rulez": []}), "`rulez` is not known");
    refused(&json!({"approver": "shrugs"}), "neither yes nor deny");
    refused(&json!({"default": "perhaps"}), "ask, deny or allow");
    refused(&json!({"sandbox": "leaky"}), "leaky");
    refused(&json!({"dial": "real"}), "loopback");
    refused(&json!({"helper": "does something"}), "helper");
    refused(&json!({"extends": "nobody"}), "unknown setup nobody");
    refused(&json!({"extends": "P"}), "extends itself");
    refused(&json!({"learned": {"x": {"liked": 3}}}), "`liked`");
}
