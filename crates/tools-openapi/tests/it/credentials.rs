//! Credentials reach the server, and no output.

use std::sync::Mutex;

use secrecy::SecretString;
use serde_json::json;
use windlass_protocol::ToolSpec;
use windlass_tools_openapi::{OpenApi, OperationTools};

use crate::pets::{at, call, payload, schema, tool};
use crate::server::{Server, reply};

const SECURED: &str = r"
openapi: 3.1.0
servers: [{url: 'https://a.example'}]
security: [{oauth: [read]}]
paths:
  /header: {get: {operationId: header, security: [{key: []}], parameters: [{name: x-key, in: header, schema: {type: string}}]}}
  /query: {get: {operationId: query, security: [{field: []}], parameters: [{name: q, in: query}, {name: the key, in: query}, {name: free, in: query, schema: {type: object}}]}}
  /basic: {get: {operationId: basic, security: [{basic: []}]}}
  /bearer: {get: {operationId: bearer}}
  /both: {get: {operationId: both, security: [{digest: []}, {key: [], oauth: []}]}}
  /public: {get: {operationId: public, security: []}}
  /optional: {get: {operationId: optional, security: [{}, {mutual: []}]}}
  /digest: {get: {operationId: digest, security: [{digest: []}]}}
  /cookie: {get: {operationId: cookie, security: [{cookie: []}]}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    field: {type: apiKey, in: query, name: the key}
    cookie: {type: apiKey, in: cookie, name: c}
    basic: {type: http, scheme: basic}
    digest: {type: http, scheme: digest}
    oauth: {type: oauth2, flows: {}}
    mutual: {type: mutualTLS}
";

fn secured() -> OpenApi {
    OpenApi::parse(SECURED.as_bytes()).unwrap()
}

#[tokio::test]
async fn each_scheme_has_its_place_in_the_request() {
    // The server repeats the whole request in its answer.
    let server = Server::start(|request| reply("200 OK", "text/plain", request)).await;
    let api = secured();
    let tools = at(&api, &server)
        .operations(["header", "query", "basic", "bearer", "both", "public", "optional"])
        .credential("key", "key-0123456789")
        .credential("field", "field/0123 456789")
        .credentials(|scheme: &str| match scheme {
            "basic" => Some(SecretString::from("user:password-987")),
            "oauth" => Some(SecretString::from("token-abcdefgh")),
            _ => None,
        })
        .build()
        .unwrap();
    for (name, expected) in [
        ("header", "\r\nx-key: key-0123456789\r\n"),
        ("query", "GET /v1/query?q=1&the%20key=field%2F0123%20456789 HTTP/1.1\r\n"),
        ("basic", "\r\nauthorization: Basic dXNlcjpwYXNzd29yZC05ODc=\r\n"),
        ("bearer", "\r\nauthorization: Bearer token-abcdefgh\r\n"),
        ("both", "\r\nx-key: key-0123456789\r\nauthorization: Bearer token-abcdefgh\r\n"),
    ] {
        let arguments = if name == "query" { json!({"q": "1"}) } else { json!({}) };
        let output = call(&tools, name, &arguments).await.unwrap();
        let request = server.requests().pop().unwrap();
        assert!(request.contains(expected), "{request}");
        let words = output.words();
        assert!(words.contains("[redacted]"), "{words}");
        for secret in ["key-0123456789", "0123", "dXNlcjpw", "password-987", "token-abcdefgh"] {
            assert!(!words.contains(secret), "{words}");
        }
    }
    for name in ["public", "optional"] {
        call(&tools, name, &json!({})).await.unwrap();
        let request = server.requests().pop().unwrap();
        assert!(!request.contains("authorization") && !request.contains("x-key"), "{request}");
    }
    // The model has no argument in the place of a credential.
    assert_eq!(schema(&tools, "header")["properties"], json!({}));
    assert_eq!(schema(&tools, "query")["properties"].as_object().unwrap().len(), 2);
    let taken = json!({"free": {"the key": "mine"}});
    assert_eq!(tool(&tools, "query").effects(&payload(&taken)), [windlass_protocol::Effect::Unknown]);
    assert_eq!(tools.secrets().count(), 5);
    let redactor = tools.redactor();
    assert_eq!(redactor.redact("a password-987 token-abcdefgh"), "a [redacted] [redacted]");
    let specs: Vec<ToolSpec> = tools.tools().iter().map(|tool| tool.spec().clone()).collect();
    assert!(!redactor.contains_secret(&format!("{tools:?} {specs:?}")));
}

// Attack EXF-003.
#[tokio::test]
async fn a_known_secret_is_not_sent() {
    let server = Server::saying("200 OK", "text/plain", "x").await;
    let api = crate::pets::pets();
    let tools = at(&api, &server).build().unwrap();
    let redactor = windlass_redact::Redactor::new(["hunter22 hunter22".into()]);
    let ctx =
        windlass_tool::Context::new(windlass_protocol::CallId::new("c").unwrap()).with_redactor(redactor);
    for id in ["hunter22 hunter22", "aHVudGVyMjIgaHVudGVyMjI=", "hunter22%20hunter22"] {
        let payload = payload(&json!({"id": id}));
        let error = tool(&tools, "getPet").call(&ctx, &payload).await.unwrap_err().to_string();
        assert_eq!(error, "the arguments hold a secret that is known here; nothing was sent");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn a_missing_credential_is_refused_by_name() {
    let api = secured();
    let build = |id: &str| {
        let builder = OperationTools::builder(&api).operations([id]).credential("key", "key-0123456789");
        builder.credential("basic", " ").build().unwrap_err().to_string()
    };
    for (id, expected) in [
        ("bearer", "it needs a credential for the security scheme `oauth`"),
        ("basic", "it needs a credential for the security scheme `basic`"),
        (
            "both",
            "its security scheme `digest` is HTTP digest, which is not supported; or it needs a credential for the security scheme `oauth`",
        ),
        ("cookie", "its security scheme `cookie` is a cookie, which is not supported"),
    ] {
        assert!(build(id).ends_with(expected), "{}", build(id));
    }
}

#[test]
fn credentials_are_not_sent_in_the_open() {
    let api = secured();
    let build = |base: &str| {
        let builder = OperationTools::builder(&api).operations(["header"]).base_url(base);
        builder.credential("key", "key-0123456789").build()
    };
    let error = build("http://a.example").unwrap_err().to_string();
    assert_eq!(
        error,
        "the base URL cannot be used: credentials would be sent to a.example without encryption; use https, or allow the host with `reachable`"
    );
    assert!(build("https://a.example").is_ok());
    let builder = OperationTools::builder(&api).credential("key", "key-0123456789");
    assert!(!format!("{builder:?}").contains("0123456789"));
}

#[tokio::test]
async fn a_token_may_change_and_vanish() {
    let server = Server::start(|request| reply("401 Unauthorized", "text/plain", request)).await;
    let api = secured();
    let tokens = Mutex::new(vec!["", "broken\r\nx: y", "second-token-2", "first-token-1"]);
    let next = move |_: &str| {
        let mut tokens = tokens.lock().unwrap();
        let token = if tokens.len() > 1 { tokens.pop().unwrap() } else { tokens[0] };
        Some(SecretString::from(token))
    };
    // The first token answers the check of the requirement, and the second one is registered.
    let tools = at(&api, &server).operations(["bearer"]).credentials(next).build().unwrap();
    let broken = call(&tools, "bearer", &json!({})).await.unwrap_err().to_string();
    assert_eq!(
        broken,
        "the credential for `oauth` has characters that are invalid in a header; nothing was sent"
    );
    let missing = call(&tools, "bearer", &json!({})).await.unwrap_err().to_string();
    assert_eq!(missing, "the credential for `oauth` is missing; nothing was sent");
    assert!(server.requests().is_empty());

    let tools =
        at(&api, &server).operations(["bearer"]).credential("oauth", "later-token-3").build().unwrap();
    let output = call(&tools, "bearer", &json!({})).await.unwrap();
    assert!(output.words().contains("The credentials are not accepted for this."));
    assert!(output.words().contains("Bearer [redacted]"), "{}", output.words());
}
