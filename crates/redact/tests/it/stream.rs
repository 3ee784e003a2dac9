//! Bytes that come in pieces.

use windlass_redact::Redactor;

#[track_caller]
fn check(pieces: &[&str], expected: &[&str]) {
    let mut stream = Redactor::new(["hunter22".into(), "22-and-more".into()]).stream();
    let mut given: Vec<Vec<u8>> = pieces.iter().map(|piece| stream.push(piece.as_bytes())).collect();
    given.push(stream.finish());
    let given: Vec<_> = given.iter().map(|piece| String::from_utf8_lossy(piece)).collect();
    assert_eq!(given, expected);
}

#[test]
fn only_what_may_become_a_secret_is_held_back() {
    check(&["plain words", " and more"], &["plain words", " and more", ""]);
    check(&["a hunt", "er", "ess"], &["a ", "", "hunteress", ""]);
    check(&["a hunt"], &["a ", "hunt"]);
    check(&["a hunter2", "2"], &["a ", "[redacted]", ""]);
}

#[test]
fn a_secret_that_another_one_prolongs_has_one_mark() {
    check(&["a hunter22", "-and-more", "!"], &["a [redacted]", "", "!", ""]);
    check(&["a hunter22", "-and-less"], &["a [redacted]", "-and-less", ""]);
}

#[test]
fn a_finished_stream_starts_without_pending_bytes() {
    let mut stream = Redactor::new(["hunter22".into()]).stream();
    assert_eq!(stream.push(b"hunter2"), b"");
    assert_eq!(stream.pending_bytes(), 7);
    assert_eq!(stream.finish(), b"hunter2");
    assert_eq!(stream.push(b"2"), b"2");
}

#[test]
fn a_periodic_secret_keeps_few_bytes_pending() {
    let mut stream = Redactor::new(["aaaaaaaa".into()]).stream();
    let mut clean = Vec::new();
    for _ in 0..10_000 {
        clean.extend(stream.push(b"a"));
        assert!(stream.pending_bytes() <= 128, "{}", stream.pending_bytes());
    }
    clean.extend(stream.finish());
    assert_eq!(clean, b"[redacted]");
}
