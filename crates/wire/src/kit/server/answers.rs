//! The rules of answers.

use windlass_protocol::kit::RuleViolation;
use windlass_protocol::{Request, StopReason, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, WholeCall};

use super::content::Content;
use super::{RuleResult, ServerRule, catch};
use crate::{DecodeError, DecodedRequest, Framing, ResponseHead, Server, Wire, WireLimits};

/// A server that answers the request of the test.
pub(super) struct AnswerWriter<'a> {
    pub(super) server: &'a dyn Server,
    /// The request, as the server decoded it.
    pub(super) asked: &'a Request,
}

/// Checks complete answers in each framing.
pub(super) fn check_answers(writer: &AnswerWriter<'_>, wire: &dyn Wire) -> RuleResult<()> {
    for chunks in [text_answer(), call_answer(), cut_answer()] {
        let expected = Content::collect(&chunks);
        for framing in writer.server.framings() {
            for is_kept_busy in [false, true] {
                let bytes = writer.write(*framing, &chunks, is_kept_busy)?;
                let check = |pieces: &[&[u8]], place: &str| compare(wire, *framing, pieces, &expected, place);
                check(&[&bytes], "at once")?;
                if *framing == Framing::Whole || is_kept_busy {
                    continue;
                }
                for place in 1..bytes.len() {
                    let (before, after) = bytes.split_at(place);
                    check(&[before, after], &format!("split at byte {place}"))?;
                }
                check(&bytes.chunks(1).collect::<Vec<_>>(), "from single bytes")?;
            }
            check_cuts(wire, *framing, &writer.write(*framing, &chunks, false)?, &expected)?;
        }
    }
    Ok(())
}

/// Checks the beginnings of an answer.
fn check_cuts(wire: &dyn Wire, framing: Framing, bytes: &[u8], expected: &Content) -> RuleResult<()> {
    for place in 0..bytes.len() {
        let (before, _) = bytes.split_at(place);
        let Ok(chunks) = read(wire, framing, &[before])? else { continue };
        let content = Content::collect(&chunks);
        let is_same = content.text == expected.text && content.calls == expected.calls;
        if content.looks_complete() && !is_same {
            let found =
                format!("{framing:?}, cut at byte {place} of {}, the answer has a finish", bytes.len());
            return Err(RuleViolation::new(ServerRule::NoticesCuts, found));
        }
    }
    Ok(())
}

/// Checks answers whose provider sent only their beginning.
pub(super) fn check_interrupted(writer: &AnswerWriter<'_>, wire: &dyn Wire) -> RuleResult<()> {
    for chunks in [text_answer(), call_answer()] {
        let end = chunks.iter().position(|chunk| matches!(chunk, Chunk::Finish { .. })).unwrap_or_default();
        for length in 1..=end {
            let begun = chunks.get(..length).unwrap_or_default();
            for framing in writer.server.framings() {
                let bytes = writer.write(*framing, begun, false)?;
                let Ok(read) = read(wire, *framing, &[&bytes])? else { continue };
                if Content::collect(&read).looks_complete() {
                    let found =
                        format!("{framing:?}, interrupted after chunk {length}, the answer has a finish");
                    return Err(RuleViolation::new(ServerRule::NoticesCuts, found));
                }
            }
        }
    }
    Ok(())
}

/// Compares an answer that was read with the one that was written.
fn compare(
    wire: &dyn Wire,
    framing: Framing,
    pieces: &[&[u8]],
    expected: &Content,
    place: &str,
) -> RuleResult<()> {
    let chunks = read(wire, framing, pieces)?.map_err(|error| {
        let found = format!("{framing:?}, {place}: {error}");
        RuleViolation::new(ServerRule::KeepsAnswers, found).with_source(error)
    })?;
    let content = Content::collect(&chunks);
    if content == *expected {
        return Ok(());
    }
    let found = format!("{framing:?}, {place}: {content:?} was read, {expected:?} was written");
    Err(RuleViolation::new(ServerRule::KeepsAnswers, found))
}

impl AnswerWriter<'_> {
    /// Writes an answer with the server's encoder.
    pub(super) fn write(
        &self,
        framing: Framing,
        chunks: &[Chunk],
        is_kept_busy: bool,
    ) -> RuleResult<Vec<u8>> {
        let asked = DecodedRequest::new(self.asked.clone(), framing);
        let head = ResponseHead::new("1", self.asked.model.as_str(), 7);
        let mut encoder = catch("encoder", || self.server.encoder(&asked, head))?;
        let fail = |method: &str, error| {
            RuleViolation::new(ServerRule::WritesAnswers, format!("`{method}` failed: {error}"))
                .with_source(error)
        };
        if catch("content_type", || encoder.content_type().is_empty())? {
            return Err(RuleViolation::new(ServerRule::WritesAnswers, "an answer has no media type"));
        }
        let mut bytes = Vec::new();
        for chunk in chunks {
            catch("push", || encoder.push(chunk, &mut bytes))?.map_err(|error| fail("push", error))?;
            if is_kept_busy {
                catch("keep_alive", || encoder.keep_alive(&mut bytes))?;
            }
        }
        catch("finish", || encoder.finish(&mut bytes))?.map_err(|error| fail("finish", error))?;
        Ok(bytes)
    }
}

/// Reads an answer with the client's side.
pub(super) fn read(
    wire: &dyn Wire,
    framing: Framing,
    pieces: &[&[u8]],
) -> RuleResult<Result<Vec<Chunk>, DecodeError>> {
    let mut chunks = Vec::new();
    if framing == Framing::Whole {
        let body = pieces.concat();
        let result = catch("decode_whole", || wire.decode_whole(&body, WireLimits::default(), &mut chunks))?;
        return Ok(result.map(|()| chunks));
    }
    let mut decoder = catch("decoder", || wire.decoder(WireLimits::default()))?;
    for piece in pieces {
        if let Err(error) = catch("push", || decoder.push(piece, &mut chunks))? {
            return Ok(Err(error));
        }
    }
    Ok(catch("finish", || decoder.finish(&mut chunks))?.map(|()| chunks))
}

/// An answer of text.
pub(super) fn text_answer() -> Vec<Chunk> {
    vec![
        Chunk::text("I lo\u{f6}k: "),
        Chunk::text("\u{1f600} \"quoted\"\n\ndata: [DONE]\n\nand \\ud83d "),
        Chunk::text("done."),
        usage(),
        finish(StopReason::End, "stop"),
    ]
}

/// An answer with two calls, one in pieces and one at once.
fn call_answer() -> Vec<Chunk> {
    let key = CallKey(0);
    let delta = |arguments: &str| Chunk::Call(CallChunk::Delta { key, arguments: arguments.to_owned() });
    vec![
        Chunk::text("I look."),
        Chunk::Call(CallChunk::Start {
            key,
            id: Some("call_1".to_owned()),
            name: "read".to_owned(),
            opaque: None,
        }),
        delta("{\"path\":"),
        delta("\"\u{e4}\\n\"}"),
        Chunk::Call(CallChunk::End { key, arguments: None }),
        Chunk::Call(CallChunk::Whole {
            id: Some("call_2".to_owned()),
            name: "list".to_owned(),
            body: WholeCall::Arguments("{\"deep\":[true,null,1.5]}".to_owned()),
            opaque: None,
        }),
        finish(StopReason::Calls, "tool_calls"),
        usage(),
    ]
}

/// An answer that the limit of tokens cut.
fn cut_answer() -> Vec<Chunk> {
    vec![Chunk::text("Half of an ans"), usage(), finish(StopReason::Length, "length")]
}

fn usage() -> Chunk {
    let usage = Usage { input_tokens: 120, output_tokens: 34, cache_read_tokens: 40, ..Usage::default() };
    Chunk::Usage { usage }
}

fn finish(reason: StopReason, raw: &str) -> Chunk {
    Chunk::Finish { reason, raw: raw.to_owned() }
}
