//! Accepted documents, and refused documents whose error names the problem.

use windlass_tools_openapi::{Method, OpenApi, OperationTools};

use crate::pets::pets;

fn refusal(document: &str) -> String {
    OpenApi::parse(document.as_bytes()).unwrap_err().to_string()
}

/// Builds the only operation of a document with this text at `get`, and returns the error.
fn build(get: &str) -> String {
    let document =
        format!("openapi: 3.1.0\nservers: [{{url: 'https://a.example'}}]\npaths:\n  /x: {{get: {get}}}\n");
    let api = OpenApi::parse(document.as_bytes()).unwrap();
    OperationTools::builder(&api).build().unwrap_err().to_string()
}

#[test]
fn operations_are_listed_in_order() {
    let api = pets();
    let listed: Vec<_> =
        api.operations().map(|one| (one.method, one.path, one.id.unwrap_or_default())).collect();
    assert_eq!(listed[0], (Method::Get, "/pets".to_owned(), "listPets".to_owned()));
    assert_eq!(listed[4], (Method::Delete, "/pets/{id}".to_owned(), String::new()));
    assert_eq!(listed.len(), 6);
}

#[test]
fn json_and_yaml_give_the_same_tools() {
    let yaml = "openapi: 3.1.0\nservers: [{url: 'https://a.example'}]\npaths: {/x: {get: {parameters: [{name: q, in: query}]}}}";
    let json = r#" {"openapi": "3.1.0", "servers": [{"url": "https://a.example"}], "paths": {"/x": {"get": {"parameters": [{"name": "q", "in": "query"}]}}}}"#;
    let specs = [yaml, json].map(|document| {
        let api = OpenApi::parse(document.as_bytes()).unwrap();
        let tools = OperationTools::builder(&api).build().unwrap();
        tools.tools().iter().map(|tool| tool.spec().clone()).collect::<Vec<_>>()
    });
    assert_eq!(specs[0], specs[1]);
    assert_eq!(specs[0][0].name().as_str(), "get_x");
}

#[test]
fn other_documents_are_refused_by_name() {
    assert_eq!(
        refusal(r#"{"swagger": "2.0", "paths": {}}"#),
        "the document is Swagger 2.0, which is not supported; convert it to OpenAPI 3.0 or 3.1"
    );
    for version in ["4.0.0", "2.0", "3.10.0", "3.2.0"] {
        assert!(
            refusal(&format!("openapi: {version}")).contains("only 3.0 and 3.1 are supported"),
            "{version}"
        );
    }
    assert!(refusal("{\"openapi\": \"3.1.0\",}").starts_with("the document cannot be read as JSON: "));
    assert!(
        refusal("{\"openapi\": \"3.1.0\", \"openapi\": \"3.1.0\"}")
            .contains("the key \"openapi\" occurs twice")
    );
    assert!(OpenApi::parse(b"\xff\xfe").unwrap_err().to_string().contains("byte 0 is not UTF-8"));
    let long = format!("openapi: 3.1.0\n# {}", "x".repeat(9_000_000));
    assert!(refusal(&long).ends_with("and 8388608 is the most"));
}

#[test]
fn references_are_followed_inside_of_the_document_only() {
    let external = "openapi: 3.1.0\npaths: {/x: {$ref: 'https://evil.example/x.yaml#/a'}}";
    assert_eq!(
        refusal(external),
        "the path /x: the reference \"https://evil.example/x.yaml#/a\" leads to another document, and only \
         references inside of the document are followed"
    );
    let circle = "openapi: 3.1.0\npaths: {/x: {$ref: '#/paths/~1y'}, /y: {$ref: '#/paths/~1x'}}";
    assert_eq!(refusal(circle), "the path /x: its references lead to each other");
    let error = build("{parameters: [{name: q, in: query, schema: {$ref: 'other.json'}}]}");
    assert!(
        error.contains("GET /x cannot become a tool: the parameter `q`: the reference \"other.json\""),
        "{error}"
    );
    let error = build("{parameters: [{name: q, in: query, schema: {$ref: '#/nowhere/at%20all'}}]}");
    assert!(error.ends_with("the reference \"#/nowhere/at%20all\" leads to nothing"), "{error}");
}

#[test]
fn references_with_encoded_names_are_found() {
    let document = "openapi: 3.1.0\nservers: [{url: 'https://a.example'}]\npaths: {/x: {get: {parameters: [{$ref: '#/components/parameters/a~1b%20c'}]}}}\ncomponents: {parameters: {a/b c: {name: q, in: query}}}";
    let api = OpenApi::parse(document.as_bytes()).unwrap();
    assert_eq!(OperationTools::builder(&api).build().unwrap().tools().len(), 1);
}

#[test]
fn operations_that_cannot_be_sent_are_refused_by_name() {
    for (get, expected) in [
        (
            "{parameters: [{name: c, in: cookie, required: true}]}",
            "its parameter `c` is a cookie, and cookies are not sent",
        ),
        ("{parameters: [{name: p, in: path}]}", "its path does not have its parameter `p`"),
        (
            "{parameters: [{name: q, in: query, style: comic}]}",
            "its query parameter `q` has the unknown style \"comic\"",
        ),
        ("{parameters: [{name: 'a b', in: header}]}", "its parameter `a b` is not the name of a header"),
        ("{parameters: [{in: query}]}", "a parameter has no `name` or no `in`"),
        ("{security: [{nothing: []}]}", "the document does not define its security scheme `nothing`"),
        (
            "{servers: [{url: 'https://b.example'}]}",
            "its own server b.example has another origin; give one base with `base_url`",
        ),
    ] {
        let error = build(get);
        assert_eq!(error, format!("the operation GET /x cannot become a tool: {expected}"));
    }
}

#[test]
fn base_urls_are_built_from_servers_and_their_variables() {
    let build = |servers: &str, variables: &[(&str, &str)]| {
        let api = OpenApi::parse(
            format!("openapi: 3.1.0\nservers: {servers}\npaths: {{/x: {{get: {{}}}}}}").as_bytes(),
        )
        .unwrap();
        let builder = variables.iter().fold(OperationTools::builder(&api), |builder, (name, value)| {
            builder.server_variable(*name, *value)
        });
        builder
            .build()
            .map(|tools| tools.tools()[0].spec().description().to_owned())
            .map_err(|error| error.to_string())
    };
    let servers = "[{url: 'https://{region}.example/{version}', variables: {region: {default: eu, enum: [eu, us]}, version: {default: 2}}}]";
    assert!(build(servers, &[]).unwrap().starts_with("Sends GET /x to eu.example."));
    assert!(build(servers, &[("region", "us")]).unwrap().contains("us.example"));
    for (servers, variables, expected) in [
        (
            servers,
            [("region", "evil.example/x?")].as_slice(),
            "is not a value of the server's variable `region`",
        ),
        ("[{url: 'https://{host}'}]", &[], "the variable `host` of a server has no value"),
        ("[{url: /v1}]", &[], "\"/v1\" has no host; give the whole address with `base_url`"),
        ("[{url: 'ftp://a.example'}]", &[], "only http and https are fetched"),
        ("[{url: 'https://a.example?x=1'}]", &[], "has a query"),
        ("[{url: 'http://169.254.169.254'}]", &[], "not on the public internet"),
        ("[{url: 'http://localhost'}]", &[], "localhost is this machine"),
        ("[]", &[], "the document names no server; give one with `base_url`"),
    ] {
        let error = build(servers, variables).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
