//! The property of the decoder of any wire format.

use windlass_stream::Chunk;
use windlass_wire::{Wire, WireLimits};

use crate::oracle::assemble::check_assembly;
use crate::split;

/// Decodes any bytes as a stream of this format, as a whole answer and as an error: the chunks do not depend on how
/// the bytes are split, calls end once, and the decoder does not panic (RULES S8, S14).
///
/// # Panics
/// The property is violated.
pub fn wire(wire: &dyn Wire, bytes: &[u8]) {
    // The limits are small, so that inputs exceed them.
    let limits = WireLimits { event_bytes: 4096, body_bytes: 8192, events: 200 };
    let whole = decode(wire, limits, &[bytes]);
    for way in split::ways(bytes) {
        let split = decode(wire, limits, &way);
        assert_eq!(split, whole, "{} split as {:?}", wire.name(), way.iter().map(|piece| piece.len()));
    }
    for chunk in &whole.0 {
        let line = serde_json::to_string(chunk).expect("a chunk is JSON");
        let again: Chunk = serde_json::from_str(&line).expect("a chunk reads its own JSON");
        assert_eq!(&again, chunk, "through serde and back");
    }
    check_assembly(whole.0);
    let mut chunks = Vec::new();
    if wire.decode_whole(bytes, limits, &mut chunks).is_ok() {
        check_assembly(chunks);
    }
    let error = wire.decode_error(500, bytes);
    assert!(error.message.len() <= bytes.len().saturating_mul(4).saturating_add(300), "a short message");
}

/// Returns the chunks, and whether an error ended them.
fn decode(wire: &dyn Wire, limits: WireLimits, pieces: &[&[u8]]) -> (Vec<Chunk>, bool) {
    let mut decoder = wire.decoder(limits);
    let mut chunks = Vec::new();
    for piece in pieces {
        if decoder.push(piece, &mut chunks).is_err() {
            return (chunks, true);
        }
    }
    let failed = decoder.finish(&mut chunks).is_err();
    (chunks, failed)
}
