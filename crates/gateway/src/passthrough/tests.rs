//! The bytes that change when a request is forwarded.

use bytes::Bytes;

use super::{query, rename};

#[test]
fn only_the_value_of_the_model_changes() {
    for (body, renamed) in [
        (r#"{ "a" : 1.0e0, "model" :"m", "b": [ ] }"#, r#"{ "a" : 1.0e0, "model" :"new", "b": [ ] }"#),
        (r#"{"model":"\u006d","messages":[{"model":"m"}]}"#, r#"{"model":"new","messages":[{"model":"m"}]}"#),
        (r#"{"messages":[]}"#, r#"{"messages":[]}"#),
        ("not json", "not json"),
    ] {
        assert_eq!(rename(&Bytes::from(body), "new"), renamed.as_bytes());
    }
    assert_eq!(
        rename(&Bytes::from("\u{feff}{\"model\":\"m\"}"), "é").as_ref(),
        "{\"model\":\"é\"}".as_bytes()
    );
}

#[test]
fn a_key_in_the_query_stays_at_the_gateway() {
    assert_eq!(query("/v1/messages"), "");
    assert_eq!(query("/v1/messages?beta=true"), "beta=true");
    assert_eq!(query("/x:generateContent?key=secret&alt=sse&access_token=t"), "alt=sse");
}
