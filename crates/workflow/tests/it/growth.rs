//! The cost of a file of a workflow grows with its bytes, up to a limit.

use windlass_testkit::growth::{self, Shape};
use windlass_workflow::{Workflow, WorkflowError};

/// The longest file of a workflow, in bytes.
const LONGEST: usize = 256 * 1024;
const HEAD: &str = "name = \"test\"\ndescription = \"d\"\n";
const STEP: &str = "[[step]]\nname = \"s{n}\"\ntool = \"t\"\n";

fn shapes() -> Vec<Shape> {
    let step = STEP.replace("{n}", "");
    let within = |front: &str, repeated: &str, back: &str| {
        Shape::new(format!("{HEAD}{step}{front}"), repeated, format!("{back}\n"))
    };
    let condition = |repeated: &str, back: &str| {
        let front = format!("{HEAD}[[step]]\nname = \"c\"\ncondition = ");
        Shape::new(front, repeated, format!("{back}\n"))
    };
    let steps = [
        Shape::new(HEAD, STEP, ""),
        Shape::new(HEAD, format!("{STEP}after = [\"s0\"]\n"), ""),
        Shape::new(
            HEAD,
            format!("{STEP}arguments = {{{{ x = \"{{{{{{{{ steps.s0.output }}}}}}}}\" }}}}\n"),
            "",
        ),
        Shape::new(HEAD, "[input.i{n}]\ndescription = \"d\"\n", ""),
        within("arguments = { x = \"", "{{ input }}", "\" }"),
        within("arguments = { x = \"", "{{ steps.s.output }}", "\" }"),
        within("arguments = { x = \"{{ steps.s", ".a", " }}\" }"),
        within("arguments = { x = \"", "{{", "\" }"),
        within("arguments = { x = [", "0,", "] }"),
        within("arguments = { x = [", "\"{{ input }}\",", "] }"),
        within("arguments = { x = [", "\"{{ input... }}\",", "] }"),
        within("arguments = { x = [", "[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]],", "] }"),
        within("arguments = { z = 0", ", a{n} = 0", "}"),
        within("arguments = { x = ", "[", ""),
        within("after = [", "\"s\",", "]"),
        condition("{ not = ", ""),
        condition("{ all = [", ""),
        Shape::new(
            format!("{HEAD}[[step]]\nname = \"c\"\ncondition = {{ all = ["),
            "{ equals = [\"{{ input }}\", \"a\"] },",
            "] }\n",
        ),
        Shape::repeat("[[step]]\n"),
    ];
    [steps.to_vec(), growth::toml_shapes()].concat()
}

#[test]
fn a_workflow_is_read_in_linear_time_up_to_its_limit() {
    growth::check("growth::a_workflow_is_read_in_linear_time_up_to_its_limit", LONGEST, &shapes(), |text| {
        let _ = Workflow::from_toml(text);
    });
}

#[test]
fn a_workflow_that_is_too_large_is_refused_with_its_limit() {
    let refused = |text: &str| match Workflow::from_toml(text) {
        Err(WorkflowError::TooMany { what, .. }) => Some(what),
        _ => None,
    };
    assert_eq!(refused(&format!("{HEAD}#{}", "a".repeat(LONGEST))), Some("bytes"));
    assert_eq!(refused(&Shape::new(HEAD, STEP, "").text(100_000)), Some("steps"));
}
