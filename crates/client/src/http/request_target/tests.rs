//! Tests with URLs that have users or odd characters, and with texts that are not URLs.

use super::Target;

#[track_caller]
fn check(url: &str, uri: &str, authorization: Option<&str>) {
    let target = Target::parse(url).unwrap();
    assert_eq!(target.uri.to_string(), uri);
    assert_eq!(target.authorization.as_ref().map(|value| value.to_str().unwrap()), authorization);
}

#[test]
fn a_user_moves_from_the_url_to_a_header() {
    check("http://localhost:8080/v1/x?a=b#c", "http://localhost:8080/v1/x?a=b", None);
    check(
        "https://Aladdin:open%20sesame@host/v1",
        "https://host/v1",
        Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    );
    check("http://key@host", "http://host/", Some("Basic a2V5Og=="));
    check("http://[::1]:80/a", "http://[::1]:80/a", None);
}

#[test]
fn characters_that_no_url_contains_are_encoded() {
    check("http://host/models/a b|ü:x", "http://host/models/a%20b%7C%C3%BC:x", None);
    check("http://host/a%20b", "http://host/a%20b", None);
}

#[test]
fn other_texts_are_refused() {
    for text in ["", "host/v1", "ftp://host/", "http://", "http:///v1", "http://a b/"] {
        assert!(Target::parse(text).is_err(), "{text}");
    }
}
