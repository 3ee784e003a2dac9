//! Tests of the messages.

use serde_json::{Value, json};

use super::{Incoming, RpcError, parse};

fn code_of(line: &str) -> (Value, i64) {
    let (id, error) = parse(line.as_bytes()).unwrap_err();
    (id, error.code)
}

#[test]
fn requests_notifications_and_responses_are_distinguished() {
    let request = parse(br#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}}"#).unwrap();
    assert_eq!(
        request,
        Incoming::Request { id: json!("a"), method: "m".to_owned(), params: json!({"x": 1}) }
    );
    let notification = parse(br#"{"jsonrpc":"2.0","method":"m"}"#).unwrap();
    assert_eq!(notification, Incoming::Notification { method: "m".to_owned(), params: Value::Null });
    let response = parse(br#"{"jsonrpc":"2.0","id":7,"result":null}"#).unwrap();
    assert_eq!(response, Incoming::Response { id: 7, result: Ok(Value::Null) });
    let refused = parse(br#"{"jsonrpc":"2.0","id":7,"error":{"code":5,"message":"no"}}"#).unwrap();
    let error = RpcError { code: 5, message: "no".to_owned() };
    assert_eq!(refused, Incoming::Response { id: 7, result: Err(error) });
}

#[test]
fn malformed_messages_get_the_code_of_the_standard() {
    assert_eq!(code_of("{"), (Value::Null, -32_700));
    assert_eq!(code_of("[]"), (Value::Null, -32_600));
    assert_eq!(code_of("{}"), (Value::Null, -32_600));
    assert_eq!(code_of(r#"{"id":3,"method":"m"}"#), (json!(3), -32_600));
    assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":[],"method":"m"}"#), (Value::Null, -32_600));
    assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":"x","method":7}"#), (json!("x"), -32_600));
    assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":-1,"result":1}"#), (json!(-1), -32_600));
}
