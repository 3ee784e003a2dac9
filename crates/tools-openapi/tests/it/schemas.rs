//! Schemas of arguments.

use serde_json::json;
use windlass_protocol::{Arguments, ToolSpec};
use windlass_schema::Checker;
use windlass_tools_openapi::{OpenApi, OperationTools};

use crate::pets::{pets, schema, tool};

/// Returns the schema of a body's argument, with the definitions of the tool.
fn body(version: &str, body: &str, components: &str) -> Result<serde_json::Value, String> {
    let document = format!(
        "openapi: {version}\nservers: [{{url: 'https://a.example'}}]\npaths: {{/x: {{post: {{operationId: send, requestBody: \
         {{content: {{application/json: {{schema: {body}}}}}}}}}}}}}\ncomponents: {{schemas: {components}}}\n"
    );
    let api = OpenApi::parse(document.as_bytes()).map_err(|error| error.to_string())?;
    let tools = OperationTools::builder(&api).writes(true).build().map_err(|error| error.to_string())?;
    Ok(schema(&tools, "send"))
}

#[test]
fn parameters_and_bodies_share_one_schema() {
    let api = pets();
    let tools = OperationTools::builder(&api).writes(true).skip_refused(true).build().unwrap();
    assert_eq!(
        schema(&tools, "listPets")["properties"],
        json!({
            "limit": {"type": "integer", "exclusiveMinimum": 0, "default": 20, "description": "The number of pets."},
            "status": {"type": "array", "items": {"type": "string", "enum": ["free", "sold"]}},
            "filter": {"type": "object", "properties": {"kind": {"type": "string"}}},
            "page": {"type": "object", "properties": {"offset": {"type": "integer"}}},
            "X-Trace": {"type": "string"},
        })
    );
    // Two parameters of one name have different arguments.
    let get = schema(&tools, "getPet");
    assert_eq!(get["required"], json!(["id"]));
    assert_eq!(get["properties"], json!({"id": {"type": "string"}, "query_id": {"type": "string"}}));
    let add = schema(&tools, "addPet");
    assert_eq!(add["properties"], json!({"body": {"$ref": "#/$defs/Pet"}}));
    assert_eq!(
        add["$defs"]["Pet"],
        json!({
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": ["string", "null"]},
                "parent": {"$ref": "#/$defs/Pet"},
                "kind": {"type": "string", "enum": ["dog", "cat"], "default": "dog"},
            },
        })
    );
    // The author's order is kept.
    let ToolSpec::Function { parameters, .. } = tool(&tools, "listPets").spec().clone() else { panic!() };
    let text = parameters.as_str();
    assert!(text.find("limit").unwrap() < text.find("filter").unwrap());
}

#[test]
fn a_recursive_schema_checks_arguments() {
    let api = pets();
    let tools = OperationTools::builder(&api).operations(["addPet"]).writes(true).build().unwrap();
    let ToolSpec::Function { parameters, .. } = tool(&tools, "addPet").spec().clone() else { panic!() };
    let checker = Checker::compile(&parameters).unwrap();
    let check = |text: &str| checker.check(&Arguments::parse(text).unwrap());
    assert!(check(r#"{"body": {"name": "a", "parent": {"name": null, "parent": {"name": "c"}}}}"#).is_ok());
    assert!(check(r#"{"body": {"name": "a", "parent": {"name": 5}}}"#).is_err());
    assert!(check(r#"{"body": {"name": "a"}, "admin": true}"#).is_err());
}

#[test]
fn nullable_schemas_accept_null() {
    let schema = body(
        "3.0.0",
        "{type: object, properties: {a: {type: string, enum: [x], nullable: true}, b: {allOf: [{$ref: '#/components/schemas/B'}], nullable: true}}}",
        "{B: {type: integer}}",
    )
    .unwrap();
    let properties = &schema["properties"]["body"]["properties"];
    assert_eq!(properties["a"], json!({"type": ["string", "null"], "enum": ["x", null]}));
    assert_eq!(properties["b"], json!({"anyOf": [{"allOf": [{"$ref": "#/$defs/B"}]}, {"type": "null"}]}));
}

#[test]
fn keywords_of_openapi_alone_are_left_out() {
    let schema = body(
        "3.1.0",
        "{type: object, x-internal: 1, xml: {}, discriminator: {propertyName: k}, example: {}, $id: 'http://evil.example', properties: {k: {const: a, examples: [a], pattern: '^(?=lookahead)'}}}",
        "{}",
    )
    .unwrap();
    assert_eq!(schema["properties"]["body"], json!({"type": "object", "properties": {"k": {"const": "a"}}}));
}

#[test]
fn a_schema_that_is_only_itself_is_refused_by_its_place() {
    for components in [
        "{A: {$ref: '#/components/schemas/A'}}",
        "{A: {$ref: '#/components/schemas/B'}, B: {allOf: [{$ref: '#/components/schemas/A'}]}}",
        "{A: {anyOf: [{not: {$ref: '#/components/schemas/A'}}]}}",
    ] {
        let error = body("3.1.0", "{$ref: '#/components/schemas/A'}", components).unwrap_err();
        let expected =
            "#/components/schemas/A: the schema refers to itself for the same value, so it has no meaning";
        assert!(error.ends_with(expected), "{error}");
    }
}

#[test]
fn definitions_with_one_name_stay_apart() {
    let schema = body(
        "3.1.0",
        "{type: object, properties: {a: {$ref: '#/components/schemas/Pet'}, b: {$ref: '#/components/parameters/Pet'}}}",
        "{Pet: {type: string}}, parameters: {Pet: {type: integer}}",
    )
    .unwrap();
    assert_eq!(schema["$defs"], json!({"Pet": {"type": "string"}, "Pet-1": {"type": "integer"}}));
}
