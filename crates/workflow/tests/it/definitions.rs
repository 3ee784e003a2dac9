//! Errors of a workflow are reported when it is loaded.

use std::error::Error;

use proptest::prelude::*;
use windlass_workflow::{Workflow, draw, git_commit};

#[track_caller]
fn check(steps: &str, expected: &str) {
    let error = Workflow::from_toml(&format!("name = \"test\"\n{steps}")).unwrap_err();
    let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    let text = format!("{error}{cause}");
    assert!(text.contains(expected), "{text}");
}

const A: &str = "[[step]]\nname = \"a\"\ntool = \"t\"\n";

#[test]
fn unknown_keys_are_named() {
    check(&format!("{A}argument = 1"), "unknown field `argument`");
    check("colour = 1", "unknown field `colour`");
    check(&format!("{A}on_failure = \"retry\""), "unknown variant `retry`");
}

#[test]
fn missing_steps_and_inputs_are_named() {
    check(&format!("{A}after = [\"b\"]"), "step a: no step b");
    check(&format!("{A}arguments = {{ x = \"{{{{ steps.b.output }}}}\" }}"), "step a: no step b");
    check(&format!("{A}arguments = {{ x = \"{{{{ input.b }}}}\" }}"), "step a: the input b does not exist");
    check(
        &format!("{A}arguments = {{ x = \"{{{{ item }}}}\" }}"),
        "step a: the path item does not lead to a value",
    );
    check(&format!("{A}on_failure = {{ goto = \"b\" }}"), "step a: no step b");
    check("[[step]]\nname = \"c\"\ncondition = { empty = \"\" }\nthen = [\"b\"]", "step c: no step b");
}

#[test]
fn steps_that_wait_for_each_other_are_named() {
    let b = "[[step]]\nname = \"b\"\ntool = \"t\"\nafter = [\"a\"]\n";
    check(&format!("{A}after = [\"b\"]\n{b}"), "the steps wait for each other: a -> b -> a");
    check(&format!("{A}after = [\"a\"]"), "the steps wait for each other: a -> a");
    let inside = "[[step]]\nname = \"g\"\n[[step.parallel]]\nname = \"x\"\ntool = \"t\"\n\
        arguments = { x = \"{{ steps.g.output }}\" }";
    check(inside, "the steps wait for each other: g -> g");
}

#[test]
fn a_step_is_of_exactly_one_kind_and_has_only_what_belongs_to_it() {
    check("[[step]]\nname = \"a\"", "step a: it has nothing, and needs exactly one of");
    check(&format!("{A}agent = \"b\""), "step a: it has tool and agent");
    check(&format!("{A}task = \"b\""), "step a: `task` belongs to a step with `agent`");
    check("[[step]]\nname = \"a\"\nmap = []", "step a: a `map` needs what is done for each element");
    check("[[step]]\nname = \"a\"\nagent = \"b\"", "step a: an agent needs a `task`");
    check("[[step]]\nname = \"a b\"\ntool = \"t\"", "`a b` is not a valid name");
    check(&format!("{A}{A}"), "two steps have the name a");
}

#[test]
fn steps_and_nesting_are_limited() {
    let many: Vec<_> = (0..501).map(|at| format!("[[step]]\nname = \"s{at}\"\ntool = \"t\"")).collect();
    check(&many.join("\n"), "the workflow has 501 steps, at most 500 are allowed");
    let mut deep = "tool = \"t\"".to_owned();
    for _ in 0..10 {
        deep = format!("parallel = [{{ name = \"x\", {deep} }}]");
    }
    check(&format!("[[step]]\nname = \"top\"\n{deep}"), "levels");
}

#[test]
fn a_workflow_is_drawn() {
    expect_test::expect_file!["../data/git_commit.txt"].assert_eq(&draw(&git_commit()));
}

/// Pieces of workflows, whole and broken, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let words = [
        "[[step]]",
        "name = \"a\"",
        "name = \"b\"",
        "tool = \"t\"",
        "agent = \"t\"",
        "task = \"{{ steps.a.output }}\"",
        "arguments = { x = \"{{\" }",
        "arguments = { x = [\"{{ item... }}\"] }",
        "after = [\"b\"]",
        "map = \"{{ input }}\"",
        "map = [[1], 2]",
        "[[step.do]]",
        "[[step.parallel]]",
        "[[step.do.do]]",
        "condition = { empty = [] }",
        "then = [\"b\"]",
        "condition = { not = { all = [{ less = [1, \"{{ steps.b.status }}\"] }] } }",
        "on_failure = { goto = \"b\" }",
        "on_unknown = \"continue\"",
        "retries = 99999",
        "at_once = 0",
        "output = \"json\"",
        "approval = \"?\"",
        "about = 1",
        "[input.x]",
        "default = 1",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..24).prop_map(|lines| lines.join("\n"))
}

proptest! {
    // STYLE "no panic on data from outside": any file of a project is a workflow or an error.
    #[test]
    fn a_file_of_anything_is_a_workflow_or_an_error(text in prop_oneof![pieces(), "\\PC{0,200}"]) {
        if let Ok(workflow) = Workflow::from_toml(&format!("name = \"w\"\n{text}")) {
            prop_assert!(draw(&workflow).starts_with("w: "));
        }
    }
}
