//! Event streams, and bodies that a server sends instead.

use windlass_wire::{Body, DecodeError, ResponseParser, WireLimits};

fn read(pieces: &[&[u8]]) -> (Vec<String>, Body) {
    let mut stream = ResponseParser::new(WireLimits::default());
    let mut events = Vec::new();
    for piece in pieces {
        let pushed = stream.push(piece, |event| {
            events.push(format!("{} {} {}", event.number, event.name, event.data));
            Ok(())
        });
        pushed.unwrap();
    }
    let finished = stream.finish(|event| {
        events.push(format!("{} last {}", event.number, event.data));
        Ok(())
    });
    let body = finished.unwrap();
    (events, body)
}

#[track_caller]
fn check_plain(body: &[u8]) {
    let (events, met) = read(&[body]);
    assert_eq!((events, met), (Vec::new(), Body::Plain(body.to_vec())));
    let bytes: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(read(&bytes).1, Body::Plain(body.to_vec()));
}

// S12
#[test]
fn bodies_without_events_are_kept() {
    check_plain(b"");
    check_plain(b" \r\n{\"error\":{}}");
    check_plain(b"\xEF\xBB\xBF{}");
    check_plain(b"<html>");
    check_plain(b"[1]");
    check_plain(b"upstream connect error");
    check_plain(b": a comment\n\n");
}

#[test]
fn only_the_start_of_a_plain_body_is_kept() {
    let (_, body) = read(&["x".repeat(150).as_bytes(), "y".repeat(150).as_bytes()]);
    assert_eq!(body, Body::Plain(("x".repeat(150) + &"y".repeat(50)).into_bytes()));
}

// S14
#[test]
fn a_last_event_without_an_end_is_taken() {
    let expected = (vec!["1 a {}".to_owned(), "2 last {}".to_owned()], Body::Events);
    assert_eq!(read(&[b"event: a\ndata: {}\n\ndata: {}"]), expected);
    assert_eq!(read(&[b"event: a\r\ndata: {}\r\n\r\ndata: {}\r"]), expected);
    assert_eq!(read(&[b"event: a\ndata: {}\n\ndata: {}\n"]), expected);
}

#[test]
fn a_truncated_last_event_is_not_an_error() {
    let not_json =
        |event: windlass_wire::StreamEvent<'_>| match serde_json::from_str::<serde_json::Value>(event.data) {
            Ok(_) => Ok(()),
            Err(source) => Err(DecodeError::Json { event: event.number, source }),
        };
    let mut stream = ResponseParser::new(WireLimits::default());
    stream.push(b"data: {}\n\ndata: {\"cut", not_json).unwrap();
    assert_eq!(stream.finish(not_json).unwrap(), Body::Events);
    let mut stream = ResponseParser::new(WireLimits::default());
    assert!(stream.push(b"data: {\"broken\n\ndata: {}\n\n", not_json).is_err());
}
