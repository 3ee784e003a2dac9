//! The tests that every wire format must pass, run by each format on its own fixtures.

mod requests;

use windlass_stream::Chunk;
use windlass_wire::{DecodeError, Wire, WireLimits};

use crate::split::{self, SplitMix64};

pub use requests::{
    body, call, check_error, check_pairing, check_refusals, check_turns, result, tool, turns,
};

/// A streamed answer with the chunks that it decodes to, one JSON value per line.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "tests write it out")]
pub struct Fixture {
    /// The name, for messages.
    pub name: &'static str,
    /// The bytes of the stream.
    pub stream: &'static [u8],
    /// The expected chunks.
    pub chunks: &'static str,
}

/// A function that renders a body with this number of events.
pub type Events<'a> = &'a dyn Fn(usize) -> String;

/// Decodes a stream that arrives in pieces.
///
/// # Errors
/// The error of the decoder.
pub fn decode(wire: &dyn Wire, limits: WireLimits, pieces: &[&[u8]]) -> Result<Vec<Chunk>, DecodeError> {
    let (mut decoder, mut chunks) = (wire.decoder(limits), Vec::new());
    for piece in pieces {
        decoder.push(piece, &mut chunks)?;
    }
    decoder.finish(&mut chunks)?;
    Ok(chunks)
}

/// Checks that each fixture decodes to its chunks, however it is split (RULES S14).
///
/// # Panics
/// A fixture decodes to other chunks.
#[track_caller]
pub fn check_streams(wire: &dyn Wire, fixtures: &[Fixture]) {
    for fixture in fixtures {
        let read = |line| serde_json::from_str(line).expect("a fixture's chunk is JSON");
        let expected: Vec<Chunk> = fixture.chunks.lines().map(read).collect();
        let whole = decode(wire, WireLimits::default(), &[fixture.stream]);
        assert_eq!(whole.expect("a fixture can be read"), expected, "{}", fixture.name);
        for way in split::ways(fixture.stream) {
            let split = decode(wire, WireLimits::default(), &way);
            assert_eq!(split.expect("a fixture can be read"), expected, "{} split", fixture.name);
        }
    }
}

/// Mutates the fixtures at random and checks the oracle's properties: no panic, and the same result however
/// they are split (RULES S14).
///
/// # Panics
/// The oracle's property is violated.
pub fn check_broken(fixtures: &[Fixture], oracle: fn(&[u8])) {
    let mut random = SplitMix64::new(1);
    for fixture in fixtures {
        oracle(fixture.stream);
        for _ in 0..40 {
            let mut bytes = fixture.stream.to_vec();
            for _ in 0..random.in_range(1, 4) {
                let at = random.in_range(0, bytes.len() - 1);
                match random.in_range(0, 3) {
                    0 => bytes[at] = u8::try_from(random.in_range(0, 255)).expect("a byte was drawn"),
                    1 => bytes.truncate(at.max(1)),
                    2 => drop(bytes.drain(at..(at + random.in_range(1, 9)).min(bytes.len() - 1).max(at))),
                    _ => bytes.insert(at, random.pick(b"{}[]\",:\n\r\\ud0")),
                }
            }
            oracle(&bytes);
        }
    }
}

/// Checks that exceeding a limit is a typed error, in every framing of events (RULES S16).
///
/// # Panics
/// A limit is not enforced.
#[track_caller]
pub fn check_limits(wire: &dyn Wire, forms: &[Events<'_>]) {
    let read = |limits, body: &[u8]| decode(wire, limits, &[body]);
    for events in forms {
        let limits = WireLimits { event_bytes: 10, ..WireLimits::default() };
        let error = read(limits, events(1).as_bytes()).expect_err("the event is too long");
        assert!(matches!(error, DecodeError::Limit { what: "bytes of one event", limit: 10 }), "{error:?}");
        let limits = WireLimits { events: 2, ..WireLimits::default() };
        assert!(read(limits, events(2).as_bytes()).is_ok());
        let error = read(limits, events(3).as_bytes()).expect_err("there are too many events");
        assert!(matches!(error, DecodeError::Limit { what: "events", limit: 2 }), "{error:?}");
    }
    let limits = WireLimits { body_bytes: 10, ..WireLimits::default() };
    let body = br#"{"error":{"message":"no"}}"#;
    assert!(matches!(read(limits, body), Err(DecodeError::Limit { limit: 10, .. })));
    let whole = wire.decode_whole(body, limits, &mut Vec::new());
    assert!(matches!(whole, Err(DecodeError::Limit { .. })));
}

/// Checks that a body which is not a stream of the format gives an error that describes it: for bodies that
/// are invalid in every format, and for those in `own`.
///
/// # Panics
/// An error is missing or has another message.
#[track_caller]
pub fn check_shapes(wire: &dyn Wire, own: &[(&[u8], &str)]) {
    const NONE: &[(&[u8], &str)] = &[
        (b"", "empty body"),
        (b"<html><title>502 Bad Gateway</title></html>", "HTML"),
        (b"upstream connect error", "upstream connect error"),
        (br#"{"hello":"world"}"#, "JSON object"),
        (b": comments only\n\n", "comments only"),
    ];
    for (body, words) in NONE.iter().chain(own) {
        let error = decode(wire, WireLimits::default(), &[body]).expect_err("it is not a stream");
        assert!(matches!(error, DecodeError::Shape { .. } | DecodeError::NotJson { .. }), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

/// Checks that an invalid second event gives an error with its number.
///
/// # Panics
/// The error is missing or names another event.
#[track_caller]
pub fn check_second_event_is_no_json(wire: &dyn Wire, bodies: &[String]) {
    for body in bodies {
        let error = decode(wire, WireLimits::default(), &[body.as_bytes()]).expect_err("it is not JSON");
        assert!(matches!(error, DecodeError::Json { event: 2, .. }), "{error:?}");
    }
}
