//! Base64 against the vectors of RFC 4648, section 10.

use super::{decode_text, encode};

#[track_caller]
fn check(text: &str, base64: &str) {
    assert_eq!(encode(text.as_bytes()), base64);
    assert_eq!(decode_text(base64).as_deref(), Some(text));
}

#[test]
fn the_vectors_of_the_standard_hold() {
    check("", "");
    check("f", "Zg==");
    check("fo", "Zm8=");
    check("foo", "Zm9v");
    check("foob", "Zm9vYg==");
    check("fooba", "Zm9vYmE=");
    check("foobar", "Zm9vYmFy");
    check("größer als ☃", "Z3LDtsOfZXIgYWxzIOKYgw==");
}

#[test]
fn invalid_base64_or_text_decodes_to_none() {
    assert_eq!(decode_text("Zm9v\n"), None);
    assert_eq!(decode_text("/w=="), None);
}
