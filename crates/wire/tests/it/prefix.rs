//! The part of a body that the next request repeats.

use windlass_wire::{CachePrefix, HttpRequest, assert_append_only};

#[track_caller]
fn check(turns: &[&str], error: Option<&str>) {
    let run = || std::panic::catch_unwind(|| assert_append_only(turns));
    let failure = run().err();
    assert_eq!(failure.is_some(), error.is_some());
    if let (Some(payload), Some(error)) = (failure, error) {
        let words = payload.downcast_ref::<String>().map(String::as_str).unwrap_or_default();
        assert!(words.contains(error), "{words}");
    }
    let follows = |pair: &[&str]| CachePrefix::from_body(pair[0].as_bytes()).begins(pair[1].as_bytes());
    assert_eq!(turns.windows(2).all(follows), error.is_none(), "the digest says the same");
}

// N6
#[test]
fn a_growing_conversation_is_distinguished_from_a_changed_one() {
    check(&[], None);
    check(&[r#"{"m":["a"]}"#], None);
    check(&[r#"{"m":["a"]}"#, r#"{"m":["a"]}"#, r#"{"m":["a","b"]}"#], None);
    check(&[r#"{"m":["a","b"]}"#, r#"{"m":["a"]}"#], Some("request 1"));
    let changed = [r#"{"m":["a"]}"#, r#"{"m":["a","b"]}"#, r#"{"m":["a","c","d"]}"#];
    check(&changed, Some("request 2 does not begin with the request before it: after 11 equal bytes"));
    check(&[r#"{"k":1,"m":["a"]}"#, r#"{"k":2,"m":["a"]}"#], Some(r#"{"k":2,"m""#));
    check(&["", "anything"], None);
}

#[test]
fn a_digest_is_the_same_in_every_process() {
    let http = HttpRequest::post("/", r#"{"messages":["hello"]}"#);
    let prefix = http.cache_prefix_digest();
    // FNV-1a of 128 bits over the first 20 bytes, computed with another program.
    assert_eq!(prefix.to_string(), "20:4d67ed735ec09cf6227bcbf733ce8327");
    assert_eq!(prefix.to_string().parse(), Ok(prefix));
    for wrong in
        ["", "20", "20:", "x:00000000000000000000000000000000", "20:+0000000000000000000000000000000"]
    {
        assert!(wrong.parse::<CachePrefix>().is_err(), "{wrong}");
    }
}
