//! The time for a document grows with its size, not with its square.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use windlass_tools_openapi::{OpenApi, OperationTools};

use crate::pets::schema;

/// Returns the shortest of three runs.
fn time(mut run: impl FnMut()) -> Duration {
    let once = |()| {
        #[expect(clippy::disallowed_methods, reason = "the test measures time")]
        let began = Instant::now();
        run();
        began.elapsed()
    };
    [(), (), ()].map(once).into_iter().min().unwrap()
}

/// Checks that eight times the size takes at most 24 times the time.
fn assert_linear(what: &str, run: impl Fn(usize), size: usize) {
    let (small, large) = (time(|| run(size)), time(|| run(size * 8)));
    let most = small.max(Duration::from_millis(5)) * 24;
    assert!(large < most, "{what}: {small:?} for {size}, {large:?} for {}", size * 8);
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
    assert_linear("references", run, 250);
}

#[test]
fn parsing_takes_linear_time() {
    let yaml = |count: usize| {
        let text =
            format!("openapi: 3.1.0\nx:\n{}", "  - {a: 1, b: [x, y], c: 'text text text'}\n".repeat(count));
        OpenApi::parse(text.as_bytes()).unwrap();
    };
    assert_linear("YAML", yaml, 1_000);
    let json = |count: usize| {
        let text = format!(
            "{{\"openapi\": \"3.1.0\", \"x\": [{}0]}}",
            "{\"a\": 1, \"b\": [\"x\", \"y\"]},".repeat(count)
        );
        OpenApi::parse(text.as_bytes()).unwrap();
    };
    assert_linear("JSON", json, 4_000);
    let keys = |count: usize| {
        let keys: Vec<String> = (0..count).map(|at| format!("k{at}: {at}")).collect();
        OpenApi::parse(format!("openapi: 3.1.0\nx: {{{}}}", keys.join(", ")).as_bytes()).unwrap();
    };
    assert_linear("keys", keys, 2_000);
}
