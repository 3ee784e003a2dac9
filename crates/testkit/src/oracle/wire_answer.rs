//! Properties of answers on their way through a gateway.

use windlass_assemble::{AssembleOptions, Assembler, Normalizer};
use windlass_protocol::{Message, Request};
use windlass_stream::Chunk;
use windlass_vendors::WireFormat;
use windlass_wire::{DecodedRequest, Framing, ResponseHead, Server, Wire, WireLimits};

use super::round_trip::{content_of_chunks, content_of_turn, read_all, render_format, turn};

/// Interprets the bytes as an answer of text, reasoning and calls. Encoded in a provider's format, decoded,
/// encoded again in every format (as events, as an array and as a whole) and decoded once more, it has the
/// same content. Truncated at any byte, it is encoded without an error and gains no calls.
///
/// # Panics
/// The property is violated.
pub fn wire_answer(bytes: &[u8]) {
    let turn = turn(bytes);
    let expected = content_of_turn(&turn);
    for from in WireFormat::all() {
        let (format, wire) = (render_format(from), from.wire.as_ref());
        let body = turn.render(format);
        let whole = normal(read_all(wire, &[&body]));
        let cut = bytes.first().map_or(0, |first| body.len().saturating_mul(usize::from(*first)) / 255);
        let cut = cut_short(wire, body.get(..cut).unwrap_or_default());
        for to in WireFormat::all() {
            let (server, reader) = (to.server.as_ref(), to.wire.as_ref());
            for framing in server.framings() {
                let way = format!("{} as {} {framing:?}", wire.name(), server.name());
                let read = read_framed(reader, *framing, &write(server, *framing, &whole));
                assert_eq!(content_of_chunks(read), expected, "{way}");
                let calls = good_calls(read_framed(reader, *framing, &write(server, *framing, &cut)));
                assert!(expected.calls.starts_with(&calls), "{way}: {calls:?} of an answer that was cut");
            }
        }
    }
}

/// Returns the chunks that a gateway has decoded when a stream breaks off.
fn cut_short(wire: &dyn Wire, body: &[u8]) -> Vec<Chunk> {
    let (mut decoder, mut chunks) = (wire.decoder(WireLimits::default()), Vec::new());
    // The end of an incomplete event is an error; the earlier chunks remain.
    let _ = decoder.push(body, &mut chunks).and_then(|()| decoder.finish(&mut chunks));
    normal(chunks)
}

/// Returns the calls that would run.
fn good_calls(chunks: Vec<Chunk>) -> Vec<(String, String)> {
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    let answer = assembler.finish(&mut events);
    answer.good_calls().map(|call| (call.name.to_string(), call.payload.text())).collect()
}

fn normal(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let (mut normalizer, mut normal) = (Normalizer::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        normalizer.push(chunk, &mut normal);
    }
    normalizer.finish(&mut normal);
    normal
}

fn write(server: &dyn Server, framing: Framing, chunks: &[Chunk]) -> Vec<u8> {
    let asked = DecodedRequest::new(Request::new("m", vec![Message::user("hi")]), framing);
    let mut encoder = server.encoder(&asked, ResponseHead::new("1", "m", 7));
    let mut bytes = Vec::new();
    for chunk in chunks {
        encoder.push(chunk, &mut bytes).expect("a normal chunk is written");
    }
    encoder.finish(&mut bytes).expect("an answer is ended");
    bytes
}

fn read_framed(wire: &dyn Wire, framing: Framing, bytes: &[u8]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    if framing == Framing::Whole {
        wire.decode_whole(bytes, WireLimits::default(), &mut chunks).expect("a body of this format");
        return chunks;
    }
    let mut decoder = wire.decoder(WireLimits::default());
    // A stream without events is an error: the answer ended early before it started.
    if decoder.push(bytes, &mut chunks).and_then(|()| decoder.finish(&mut chunks)).is_err() {
        assert!(chunks.is_empty(), "{} writes the request that it reads", wire.name());
    }
    chunks
}
