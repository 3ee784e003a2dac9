//! The time for a document grows with its size, not with its square.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use windlass_testkit::growth::{self, MEGABYTE, Shape};
use windlass_tools_openapi::{OpenApi, OperationTools};

use crate::pets::schema;

/// Documents that take less than this time are too small to compare.
const NOISE: Duration = Duration::from_millis(10);

#[expect(clippy::disallowed_methods, reason = "the test measures time")]
fn time(run: impl Fn()) -> Duration {
    let began = Instant::now();
    run();
    began.elapsed()
}

/// Checks that eight times the size takes at most 24 times the time; quadratic work takes 64 times.
fn assert_linear(what: &str, run: impl Fn(usize), size: usize) {
    let is_linear = |small: Duration, large: Duration| large < small.max(NOISE).saturating_mul(24);
    let (small, large) = growth::compare(|| time(|| run(size)), || time(|| run(size * 8)), is_linear);
    assert!(is_linear(small, large), "{what}: {small:?} for {size}, {large:?} for {}", size * 8);
}

fn operations(count: usize) -> String {
    let mut text = "openapi: 3.1.0\nservers: [{url: 'https://a.example'}]\npaths:\n".to_owned();
    for at in 0..count {
        write!(
            text,
            "  /things{at}/{{id}}:\n    get:\n      operationId: thing\n      summary: Thing {at}\n      parameters:\n        - {{name: id, \
             in: path, required: true, schema: {{type: string}}}}\n        - {{name: f, in: query, schema: {{$ref: \
             '#/components/schemas/s{at}'}}}}\n"
        )
        .unwrap();
    }
    text.push_str("components:\n  schemas:\n");
    for at in 0..count {
        writeln!(text, "    s{at}: {{type: string, maxLength: {at}}}").unwrap();
    }
    text
}

#[test]
fn a_thousand_operations_take_linear_time() {
    let run = |count| {
        let api = OpenApi::parse(operations(count).as_bytes()).unwrap();
        let tools = OperationTools::builder(&api).max_operations(count).build().unwrap();
        assert_eq!(tools.tools().len(), count);
    };
    assert_linear("operations", run, 125);
}

#[test]
fn a_schema_of_ten_thousand_nodes_takes_linear_time() {
    let run = |count: usize| {
        let properties: Vec<String> = (0..count).map(|at| format!("p{at}: {{const: 1}}")).collect();
        let text = format!(
            "openapi: 3.1.0\nservers: [{{url: 'https://a.example'}}]\npaths: {{/x: {{get: {{operationId: get, parameters: \
             [{{name: q, in: query, schema: {{properties: {{{}}}}}}}]}}}}}}",
            properties.join(", ")
        );
        let api = OpenApi::parse(text.as_bytes()).unwrap();
        let tools = OperationTools::builder(&api).build().unwrap();
        let properties = &schema(&tools, "get")["properties"]["q"]["properties"];
        assert_eq!(properties.as_object().unwrap().len(), count);
    };
    assert_linear("properties", run, 1_200);
}

#[test]
fn references_take_linear_time() {
    let run = |count: usize| {
        let mut text = "openapi: 3.1.0\nservers: [{url: 'https://a.example'}]\npaths: {/x: {get: {operationId: get, \
            parameters: [{name: q, in: query, schema: {$ref: '#/components/schemas/n0'}}]}}}\ncomponents:\n  schemas:\n"
            .to_owned();
        for at in 0..count {
            let next = (at + 1) % count;
            writeln!(text, "    n{at}: {{properties: {{next: {{$ref: '#/components/schemas/n{next}'}}}}}}")
                .unwrap();
        }
        let api = OpenApi::parse(text.as_bytes()).unwrap();
        let tools = OperationTools::builder(&api).build().unwrap();
        assert_eq!(schema(&tools, "get")["$defs"].as_object().unwrap().len(), count);
    };
    assert_linear("references", run, 100);
}

#[test]
fn documents_are_parsed_in_linear_time() {
    let yaml = [
        ("x:\n", "  - {a: 1, b: [x, y], c: 'text text'}\n", ""),
        ("", "k{n}: {a: 1}\n", ""),
        ("x: {", "k{n}: {n}, ", "}"),
        ("x: [", "0,", "]"),
        ("x: [", "{", ""),
        ("x: ", "- ", ""),
        ("x: |\n", "  text\n", ""),
        ("x: \"", "\\u0041", "\""),
        ("x: '", "''", "'"),
        ("x: ", "a ", ""),
        ("x: ", "a: ", ""),
        ("x: 1\n", "#\n", ""),
        ("x: 1\n", " \n", ""),
        ("x: 1\n", "&a ", ""),
        ("", "? ", ""),
    ];
    let json = [
        ("\"x\": [", "{\"a\": [1, \"b\"]},", "0]}"),
        ("\"x\": {", "\"k{n}\": 0,", "\"k\": 0}}"),
        ("\"x\": \"", "\\n", "\"}"),
    ];
    let yaml = yaml.map(|(front, part, back)| Shape::new(front, part, back).with_front("openapi: 3.1.0\n"));
    let json =
        json.map(|(front, part, back)| Shape::new(front, part, back).with_front("{\"openapi\": \"3.1.0\", "));
    let shapes = [yaml.to_vec(), json.to_vec()].concat();
    growth::check("growth::documents_are_parsed_in_linear_time", MEGABYTE, &shapes, |text| {
        let _ = OpenApi::parse(text.as_bytes());
    });
}
