//! Requests that reuse the encoding of the previous request.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use windlass_protocol::{History, Message, Part, Request};
use windlass_stream::Chunk;
use windlass_wire::{
    DecodeError, Decoder, EncodeError, EncodedHistory, HttpRequest, ProviderError, RequestBody, Wire,
    WireLimits,
};

/// A format that counts the messages it writes.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Wire for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
        EncodedHistory::new().encode(self, request)
    }

    fn encode_onto(&self, request: &Request, mut body: RequestBody<'_>) -> Result<HttpRequest, EncodeError> {
        body.resume(format_args!("counting"), &request.messages, |_| true);
        let head = json!({ "model": request.model, "the messages": [] });
        let body = body.finish(&head, &request.messages, |range| {
            self.0.fetch_add(range.len(), Ordering::Relaxed);
            Ok(range.map(|at| &request.messages[at]).collect())
        })?;
        Ok(HttpRequest::post("/", body))
    }

    fn decoder(&self, _: WireLimits) -> Box<dyn Decoder> {
        unreachable!("nothing is read")
    }

    fn decode_whole(&self, _: &[u8], _: WireLimits, _: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError {
        ProviderError::not_provider(status, body)
    }
}

/// Checks the number of messages that are encoded for a request after the previous one.
#[track_caller]
fn check(encoded: &mut EncodedHistory, request: &Request, written: usize) {
    let wire = Counting::default();
    let body = encoded.encode(&wire, request).unwrap().body;
    assert_eq!(wire.0.load(Ordering::Relaxed), written);
    assert_eq!(body, wire.encode(request).unwrap().body);
    assert_eq!(encoded.count_known(&request.messages), request.messages.len());
}

fn turn(history: &mut History, number: usize) {
    history.push(Message::assistant(vec![Part::text(format!("answer {number}"))]));
    history.push(Message::user(format!("question {number}")));
}

// N6
#[test]
fn a_turn_writes_only_what_is_new() {
    let mut request = Request::new("m", vec![Message::user("begin")]);
    let mut encoded = EncodedHistory::new();
    check(&mut encoded, &request, 1);
    for number in 0..800 {
        turn(&mut request.messages, number);
        check(&mut encoded, &request, 2);
    }
    check(&mut encoded, &request, 0);
    request.model = "another".to_owned();
    check(&mut encoded, &request, 0);
    request.messages[1_001] = Message::assistant(vec![Part::text("changed")]);
    check(&mut encoded, &request, 600);
    request.messages.truncate(501);
    check(&mut encoded, &request, 0);
    request.messages.push(Message::user("a human goes on"));
    check(&mut encoded, &request, 3);
    let text = serde_json::to_string(&request.messages).unwrap();
    request.messages = serde_json::from_str(&text).unwrap();
    check(&mut encoded, &request, 0);
    check(&mut EncodedHistory::new(), &request, 502);
}

#[test]
fn an_unshared_body_is_extended_in_place() {
    let mut request = Request::new("m", vec![Message::user("a".repeat(100_000))]);
    let (mut encoded, wire) = (EncodedHistory::new(), Counting::default());
    drop(encoded.encode(&wire, &request));
    for number in 0..100 {
        turn(&mut request.messages, number);
        drop(encoded.encode(&wire, &request));
        let before = encoded.body().as_ptr();
        turn(&mut request.messages, number);
        let held = encoded.body().clone();
        let body = encoded.encode(&wire, &request).unwrap().body;
        assert_ne!(before, body.as_ptr(), "what somebody holds is not touched");
        assert!(body.starts_with(held.strip_suffix(b"]}").unwrap()));
    }
    let (mut moved, mut at) = (0, encoded.body().as_ptr());
    for number in 0..1_000 {
        turn(&mut request.messages, number);
        drop(encoded.encode(&wire, &request));
        moved += usize::from(at != encoded.body().as_ptr());
        at = encoded.body().as_ptr();
    }
    assert!(moved <= 4, "a buffer that doubles moves seldom, not {moved} times");
}
