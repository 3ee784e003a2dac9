//! The limits: typed errors at a place that no split changes.

use windlass_sse::{ErrorKind, Parser, SseLimits};

#[track_caller]
fn check(stream: &[u8], expected: Option<(ErrorKind, u64)>, events: usize) {
    let limits = SseLimits::default().with_line_bytes(16).with_event_bytes(12);
    for step in [1, 2, 5, stream.len()] {
        let mut parser = Parser::with_limits(limits);
        let mut seen = 0;
        let mut error = None;
        for chunk in stream.chunks(step) {
            error = parser.push(chunk, |_| seen += 1).err();
        }
        assert_eq!(error.map(|error| (error.kind(), error.offset())), expected, "in steps of {step}");
        assert_eq!(seen, events, "in steps of {step}");
    }
}

#[test]
fn a_line_may_be_as_long_as_the_limit() {
    // S16
    check(b": 34567890123456\n", None, 0);
    check(b": 345678901234567\n", Some((ErrorKind::LineTooLong, 16)), 0);
    check(b"data: a\r\n\r\n: 345678901234567", Some((ErrorKind::LineTooLong, 27)), 1);
}

#[test]
fn an_event_may_be_as_long_as_the_limit() {
    // S16
    check(b"data: 12345\ndata: 123456\n\n", None, 1);
    check(b"data: 12345\ndata: 1234567\n\n", Some((ErrorKind::EventTooLong, 12)), 0);
    check(b"data: a\n\ndata: 12345\ndata: 1234567\n\ndata: b\n\n", Some((ErrorKind::EventTooLong, 21)), 1);
}

#[test]
fn an_endless_line_is_refused_at_the_limit() {
    // S16
    let mut parser = Parser::new();
    let chunk = vec![b'x'; 1 << 20];
    let error = (0..32).find_map(|_| parser.push(&chunk, |_| ()).err()).unwrap();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::LineTooLong, 16 << 20));
    assert_eq!(error.to_string(), "line longer than the limit at byte 16777216");
}
