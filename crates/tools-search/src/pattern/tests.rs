//! The cost of a pattern grows with its bytes, up to a limit.

use windlass_testkit::growth::{self, Shape};

use super::{MAX_TEXT_BYTES, SearchCriteria};
use crate::grep::GrepArguments;

fn arguments(text: &str, is_multiline: bool) -> GrepArguments {
    let arguments = serde_json::json!({"pattern": text, "multiline": is_multiline, "glob": text});
    serde_json::from_value(arguments).unwrap()
}

#[test]
fn a_pattern_is_built_in_linear_time_up_to_its_limit() {
    let shapes = [
        "a",
        "(",
        "(a",
        "a*",
        "a|",
        "(a|b)",
        "[a-z]",
        "[^a]",
        "\\pL",
        "\\w{9}",
        "(?i)b",
        "a{9}",
        ".",
        "\\n",
        "\n",
        "[",
        "{",
        "\\",
        "\u{e9}",
        "[[:alpha:]]",
        "(?:a{9}){9}",
    ]
    .map(Shape::repeat);
    let test = "pattern::tests::a_pattern_is_built_in_linear_time_up_to_its_limit";
    growth::check(test, MAX_TEXT_BYTES, &shapes, |text| {
        for is_multiline in [false, true] {
            let mut arguments = arguments(text, is_multiline);
            arguments.glob = None;
            let _ = SearchCriteria::new(&arguments);
        }
    });
    let refused = SearchCriteria::new(&arguments(&"a".repeat(MAX_TEXT_BYTES + 1), false)).err().unwrap();
    assert!(refused.to_string().contains("at most 16384 are allowed"), "{refused}");
}
