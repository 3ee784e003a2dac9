//! The OpenAPI document of the API.

use axum::Json;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::error::ErrorBody;
use super::route::{Content, Route};
use super::routes::routes;

/// Returns the OpenAPI 3.1 document of the API.
///
/// ```
/// let document = windlass_server::openapi_document();
/// assert_eq!(document["openapi"], "3.1.0");
/// assert!(document["paths"]["/api/sessions"]["post"].is_object());
/// ```
pub fn openapi_document() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = SchemaGenerator::new(settings);
    let error = generator.subschema_for::<ErrorBody>();
    let mut paths = Map::new();
    for route in routes() {
        let operation = operation(&route, &mut generator, &json!(error));
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.to_owned(), operation);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Windlass",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Sessions of an agent: start, watch, answer, stop. A program sends the token of a device as a \
                            bearer token. A browser exchanges it for a cookie at /api/login, and sends the CSRF token of \
                            /api/me in the header x-windlass-csrf with each change.",
        },
        "security": [{"device": []}, {"browser": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "device": {"type": "http", "scheme": "bearer"},
                "browser": {"type": "apiKey", "in": "cookie", "name": crate::guard::COOKIE_NAME},
            },
            "schemas": generator.take_definitions(true),
        },
    })
}

/// Returns the OpenAPI document. Needs no token.
pub(super) async fn document() -> Json<Value> {
    Json(openapi_document())
}

fn operation(route: &Route, generator: &mut SchemaGenerator, error: &Value) -> Value {
    let content = |media_type: &str, schema: Value| json!({media_type: {"schema": schema}});
    let mut success = json!({"description": "Success."});
    let media = match &route.content {
        Content::None => None,
        Content::Json(make) => Some(content("application/json", json!(make(generator)))),
        Content::Text(media_type) => Some(content(media_type, json!({"type": "string"}))),
        Content::Events(make) => Some(content("text/event-stream", json!(make(generator)))),
    };
    if let (Some(media), Some(success)) = (media, success.as_object_mut()) {
        success.insert("content".to_owned(), media);
    }
    let failure = json!({"description": "An error.", "content": content("application/json", error.clone())});
    let mut operation = json!({
        "summary": route.summary,
        "responses": {route.status.to_string(): success, "default": failure},
    });
    let Some(fields) = operation.as_object_mut() else { return operation };
    let places = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = places
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
    let in_query = route.parameters.iter().map(
        |(name, text)| json!({"name": name, "in": "query", "description": text, "schema": {"type": "string"}}),
    );
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    if !parameters.is_empty() {
        fields.insert("parameters".to_owned(), json!(parameters));
    }
    if let Some(make) = route.body {
        let body = json!({"required": true, "content": content("application/json", json!(make(generator)))});
        fields.insert("requestBody".to_owned(), body);
    }
    if route.is_open {
        fields.insert("security".to_owned(), json!([]));
    }
    operation
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(target)) = fields.get("$ref") {
                    found.insert(target);
                }
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn each_reference_has_a_target_and_each_operation_a_summary() {
        let document = openapi_document();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.len() > 10, "{found:?}");
        for target in found {
            let pointer = target.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{target}");
        }
        let operations =
            document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap());
        assert_eq!(operations.clone().count(), routes().len());
        for (_, operation) in operations {
            assert!(operation["summary"].as_str().is_some_and(|text| text.ends_with('.')));
        }
    }

    #[test]
    fn three_routes_need_no_token() {
        let open: Vec<_> =
            routes().into_iter().filter(|route| route.is_open).map(|route| route.path).collect();
        assert_eq!(open, ["/api/login", "/api/openapi.json", "/health"]);
    }
}
