//! The cost of a conversion of text arguments grows with their bytes.

use windlass_protocol::{ToolName, ToolSpec};
use windlass_testkit::growth::{self, MEGABYTE, Shape};
use windlass_text_calls::parse_legacy;

const SCHEMA: &str = r#"{"type":"object","properties":{"p":{"type":["array","object","integer","boolean"]},
    "q":{"type":"string"}},"required":["p"],"additionalProperties":{"type":["integer","null"]}}"#;

fn spec() -> ToolSpec {
    ToolSpec::function(ToolName::new("f").unwrap(), "A tool.", SCHEMA.parse().unwrap())
}

#[test]
fn text_arguments_are_converted_in_linear_time() {
    let spec = spec();
    let shapes = [
        "a",
        "[",
        "{",
        "[1,",
        "{'a': ",
        "'",
        "\"",
        "\\",
        "True, ",
        "(",
        "(1,",
        "1",
        "-",
        "1.",
        "e",
        " ",
        "\u{e9}",
        "None,",
        "\n",
        "[1, 'a', None], ",
        "r'a' ",
        "# a\n",
        "\\u0041",
    ]
    .map(|part| Shape::new("[", part, "]"));
    // The name of a parameter precedes its text; each parameter has another type.
    let of_parameter =
        |name: &str| shapes.iter().map(|shape| shape.clone().with_front(name)).collect::<Vec<_>>();
    let shapes = ["p ", "q ", "r "].map(of_parameter).concat();
    growth::check("growth::text_arguments_are_converted_in_linear_time", MEGABYTE, &shapes, |text| {
        let (name, text) = text.split_once(' ').unwrap();
        for text in [text, text.trim_start_matches('[')] {
            // Too many values are refused.
            if let Ok(legacy) = parse_legacy(&spec, [(name, text)]) {
                assert!(!legacy.arguments.as_str().is_empty());
            }
        }
    });
}

#[test]
fn many_text_arguments_are_converted_in_linear_time() {
    let spec = spec();
    let shapes = ["k{n}=1\n", "k{n}=null\n", "p=1\n", "=\n"].map(Shape::repeat);
    growth::check("growth::many_text_arguments_are_converted_in_linear_time", MEGABYTE, &shapes, |text| {
        let parameters = text.lines().filter_map(|line| line.split_once('='));
        // Too many parameters are refused.
        if let Ok(legacy) = parse_legacy(&spec, parameters) {
            assert!(!legacy.arguments.as_str().is_empty());
        }
    });
}
