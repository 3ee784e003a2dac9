//! The rules of answers.

use windlass_protocol::StopReason;
use windlass_protocol::kit::RuleViolation;
use windlass_stream::kit::check_chunks;
use windlass_stream::{CallChunk, Chunk};

use super::{WireExamples, WireRule, catch};
use crate::{DecodeError, Wire, WireLimits};

/// The largest number of places at which a stream is split, cut and damaged.
const PLACES: usize = 400;

type RuleResult<T> = Result<T, RuleViolation<WireRule>>;

/// Checks the streamed answer, and returns its chunks.
pub(super) fn check_stream(wire: &dyn Wire, stream: &[u8]) -> RuleResult<Vec<Chunk>> {
    let chunks = decode(wire, WireLimits::default(), &[stream])?.map_err(|error| {
        RuleViolation::new(WireRule::DecodesTheStream, format!("the decoder failed: {error}"))
            .with_source(error)
    })?;
    check_chunks(&chunks).map_err(|violation| {
        RuleViolation::new(WireRule::DecodesTheStream, violation.to_string()).with_source(violation)
    })?;
    Ok(chunks)
}

/// Checks the answer in two pieces and byte by byte.
pub(super) fn check_splits(wire: &dyn Wire, stream: &[u8], expected: &[Chunk]) -> RuleResult<()> {
    let check = |pieces: &[&[u8]], place: &str| match decode(wire, WireLimits::default(), pieces)? {
        Ok(chunks) if chunks == expected => Ok(()),
        Ok(_) => Err(RuleViolation::new(WireRule::IgnoresSplits, format!("other chunks {place}"))),
        Err(error) => {
            let found = format!("an error {place}: {error}");
            Err(RuleViolation::new(WireRule::IgnoresSplits, found).with_source(error))
        }
    };
    for place in places(stream) {
        let (before, after) = stream.split_at(place);
        check(&[before, after], &format!("after a split at byte {place}"))?;
    }
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    check(&bytes, "from single bytes")
}

/// Checks the beginnings of the answer.
pub(super) fn check_cuts(wire: &dyn Wire, stream: &[u8], whole: &[Chunk]) -> RuleResult<()> {
    for place in places(stream) {
        let (before, _) = stream.split_at(place);
        let Ok(chunks) = decode(wire, WireLimits::default(), &[before])? else { continue };
        let looks_complete = matches!(find_stop(&chunks), Some(StopReason::End | StopReason::Calls));
        if looks_complete && !content(&chunks).eq(content(whole)) {
            let found = format!("cut at byte {place}, the answer has a finish");
            return Err(RuleViolation::new(WireRule::NoticesCuts, found));
        }
    }
    Ok(())
}

/// Decodes damaged copies of the answer. Only a panic violates a rule.
pub(super) fn check_damaged(wire: &dyn Wire, stream: &[u8]) -> RuleResult<()> {
    for place in places(stream) {
        let (before, after) = stream.split_at(place);
        let rest = after.get(1..).unwrap_or_default();
        for replacement in [&b""[..], b"\xff", b"{", b"\n", b"\\ud800"] {
            drop(decode(wire, WireLimits::default(), &[before, replacement, rest])?);
        }
    }
    Ok(())
}

/// Checks answers above the limits.
pub(super) fn check_limits(wire: &dyn Wire, examples: &WireExamples<'_>) -> RuleResult<()> {
    let limits = WireLimits { event_bytes: 1, body_bytes: 1, events: 1 };
    let check = |result, form: &str| match result {
        Err(DecodeError::Limit { .. }) => Ok(()),
        Err(error) => {
            let found = format!("{form} with limits of 1 failed for another reason: {error}");
            Err(RuleViolation::new(WireRule::KeepsLimits, found).with_source(error))
        }
        Ok(_) => {
            let found = format!("{form} was decoded with limits of 1");
            Err(RuleViolation::new(WireRule::KeepsLimits, found))
        }
    };
    check(decode(wire, limits, &[examples.stream])?, "the stream")?;
    match examples.whole {
        Some(whole) => check(decode_whole(wire, limits, whole)?, "the whole body"),
        None => Ok(()),
    }
}

/// Checks bodies that are not the provider's.
pub(super) fn check_foreign_bodies(wire: &dyn Wire) -> RuleResult<()> {
    for body in [&b""[..], b"<html><title>502 Bad Gateway</title></html>"] {
        let text = String::from_utf8_lossy(body);
        let results = [
            ("the decoder", decode(wire, WireLimits::default(), &[body])?),
            ("`decode_whole`", decode_whole(wire, WireLimits::default(), body)?),
        ];
        if let Some((method, _)) = results.iter().find(|(_, result)| result.is_ok()) {
            let found = format!("{method} took {text:?} for an answer");
            return Err(RuleViolation::new(WireRule::RefusesForeignBodies, found));
        }
    }
    Ok(())
}

/// Checks the answer as one body against the streamed one.
pub(super) fn check_whole(wire: &dyn Wire, whole: &[u8], streamed: &[Chunk]) -> RuleResult<()> {
    let chunks = decode_whole(wire, WireLimits::default(), whole)?.map_err(|error| {
        RuleViolation::new(WireRule::AgreesWithTheWhole, format!("`decode_whole` failed: {error}"))
            .with_source(error)
    })?;
    let differences = [
        ("text", text(&chunks) != text(streamed)),
        ("calls", call_names(&chunks) != call_names(streamed)),
        ("stop reason", find_stop(&chunks) != find_stop(streamed)),
    ];
    match differences.iter().find(|(_, differs)| *differs) {
        Some((part, _)) => {
            let found = format!("the {part} of the two answers differs");
            Err(RuleViolation::new(WireRule::AgreesWithTheWhole, found))
        }
        None => Ok(()),
    }
}

/// Checks error responses without a body of the provider.
pub(super) fn check_errors(wire: &dyn Wire) -> RuleResult<()> {
    for (status, is_transient) in [(400, false), (401, false), (404, false), (429, true), (503, true)] {
        for body in [&b""[..], b"<html>no</html>", b"{}", b"{\"error\":", b"\xff"] {
            let error = catch("decode_error", || wire.decode_error(status, body))?;
            let problem = match () {
                () if error.message.is_empty() => "has no message",
                () if error.is_retryable() && !is_transient => "is retryable",
                () if !error.is_retryable() && is_transient => "is not retryable",
                () => continue,
            };
            let body = String::from_utf8_lossy(body);
            let found = format!("the error of the status {status} with the body {body:?} {problem}");
            return Err(RuleViolation::new(WireRule::ExplainsErrors, found));
        }
    }
    Ok(())
}

/// Decodes a stream that arrives in pieces.
fn decode(
    wire: &dyn Wire,
    limits: WireLimits,
    pieces: &[&[u8]],
) -> RuleResult<Result<Vec<Chunk>, DecodeError>> {
    let mut decoder = catch("decoder", || wire.decoder(limits))?;
    let mut chunks = Vec::new();
    for piece in pieces {
        if let Err(error) = catch("push", || decoder.push(piece, &mut chunks))? {
            return Ok(Err(error));
        }
    }
    Ok(catch("finish", || decoder.finish(&mut chunks))?.map(|()| chunks))
}

fn decode_whole(
    wire: &dyn Wire,
    limits: WireLimits,
    body: &[u8],
) -> RuleResult<Result<Vec<Chunk>, DecodeError>> {
    let mut chunks = Vec::new();
    Ok(catch("decode_whole", || wire.decode_whole(body, limits, &mut chunks))?.map(|()| chunks))
}

/// Returns places between the bytes of a stream, evenly spread.
fn places(stream: &[u8]) -> impl Iterator<Item = usize> {
    (1..stream.len()).step_by(stream.len().div_ceil(PLACES).max(1))
}

/// Returns the chunks that an answer consists of.
fn content(chunks: &[Chunk]) -> impl Iterator<Item = &Chunk> {
    let is_content =
        |chunk: &&Chunk| matches!(chunk, Chunk::Text { .. } | Chunk::Reasoning { .. } | Chunk::Call(_));
    chunks.iter().filter(is_content)
}

fn text(chunks: &[Chunk]) -> String {
    let text = |chunk: &Chunk| match chunk {
        Chunk::Text { text } => Some(text.clone()),
        _ => None,
    };
    chunks.iter().filter_map(text).collect()
}

fn call_names(chunks: &[Chunk]) -> Vec<&str> {
    let names = chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Call(CallChunk::Start { name, .. } | CallChunk::Whole { name, .. }) => Some(name.as_str()),
        Chunk::Call(CallChunk::Partial { name, .. }) => name.as_deref(),
        _ => None,
    });
    names.collect()
}

fn find_stop(chunks: &[Chunk]) -> Option<&StopReason> {
    chunks.iter().find_map(|chunk| match chunk {
        Chunk::Finish { reason, .. } => Some(reason),
        _ => None,
    })
}
