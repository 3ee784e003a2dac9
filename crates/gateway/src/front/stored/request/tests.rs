//! The requests that are about stored values.

use windlass_client::Method;

use super::{StoredKind, StoredRequest};
use crate::ClientRequest;

#[test]
fn only_documented_requests_about_stored_values_are_found() {
    use StoredKind::{Conversation, Response};
    for (method, path, expected) in [
        (
            "GET",
            "/v1/responses/resp_1?include=x",
            Some((Response, Some("resp_1"), "responses/resp_1", false)),
        ),
        ("DELETE", "/v1/responses/resp_1", Some((Response, Some("resp_1"), "responses/resp_1", true))),
        ("POST", "/openai/v1/responses/r/cancel", Some((Response, Some("r"), "responses/r/cancel", false))),
        ("GET", "/v1/responses/r/input_items", Some((Response, Some("r"), "responses/r/input_items", false))),
        ("POST", "/v1/conversations", Some((Conversation, None, "conversations", false))),
        ("DELETE", "/v1/conversations/c", Some((Conversation, Some("c"), "conversations/c", true))),
        (
            "DELETE",
            "/v1/conversations/c/items/i",
            Some((Conversation, Some("c"), "conversations/c/items/i", false)),
        ),
        ("POST", "/v1/responses", None),
        ("POST", "/v1/responses/resp_1", None),
        ("PUT", "/v1/responses/resp_1", None),
        ("GET", "/v1/responses/..", None),
        ("GET", "/v1/responses/%2e%2e/input_items", None),
        ("GET", "/v1/responses/r/files", None),
        ("GET", "/v1/models/m", None),
    ] {
        let request = ClientRequest::new(path, "");
        let found = StoredRequest::find(method, &request);
        let seen = found.as_ref().map(|found| (found.kind, found.id, found.path.as_str(), found.removes));
        assert_eq!(seen, expected, "{method} {path}");
        if let Some(found) = found {
            let expected = [("GET", Method::Get), ("POST", Method::Post), ("DELETE", Method::Delete)];
            assert!(expected.contains(&(method, found.method)), "{method}");
        }
    }
}
