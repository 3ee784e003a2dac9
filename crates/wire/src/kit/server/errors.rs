//! The rules of errors.

use windlass_protocol::kit::RuleViolation;
use windlass_stream::{Chunk, StreamError, StreamErrorKind};

use super::answers::{AnswerWriter, read, text_answer};
use super::content::Content;
use super::{RuleResult, ServerRule, catch};
use crate::{Framing, ProviderError, ProviderErrorKind, Server, Wire};

/// The message of the errors.
const MESSAGE: &str = "the widget is \"b\u{f6}se\"";

/// The kinds of errors with a status of each. The status is `None` where formats choose different ones.
const KINDS: [(ProviderErrorKind, Option<u16>); 9] = [
    (ProviderErrorKind::Request, Some(400)),
    (ProviderErrorKind::Authentication, Some(401)),
    (ProviderErrorKind::Authentication, Some(403)),
    (ProviderErrorKind::NotFound, Some(404)),
    (ProviderErrorKind::Request, Some(413)),
    (ProviderErrorKind::RateLimit, Some(429)),
    (ProviderErrorKind::Server, Some(500)),
    (ProviderErrorKind::ContextLength, None),
    (ProviderErrorKind::Quota, None),
];

/// Checks error responses.
pub(super) fn check_errors(server: &dyn Server, wire: &dyn Wire) -> RuleResult<()> {
    for (kind, status) in KINDS {
        let error = ProviderError::new(kind, None, MESSAGE);
        let error = status.map_or_else(|| error.clone(), |status| error.clone().with_status(status));
        let (written, body) = catch("encode_error", || server.encode_error(&error))?;
        let read = catch("decode_error", || wire.decode_error(written, &body))?;
        let problem = match () {
            () if status.is_some_and(|status| status != written) => format!("has the status {written}"),
            () if read.kind != kind => format!("is read as {:?}", read.kind),
            () if !read.message.contains(MESSAGE) => format!("has the message {:?}", read.message),
            () => continue,
        };
        let found = format!("the error {kind:?} with the status {status:?} {problem}");
        return Err(RuleViolation::new(ServerRule::KeepsErrors, found));
    }
    Ok(())
}

/// Checks failures inside an answer that has begun.
pub(super) fn check_failures(writer: &AnswerWriter<'_>, wire: &dyn Wire) -> RuleResult<()> {
    for kind in [StreamErrorKind::Overloaded, StreamErrorKind::RateLimit, StreamErrorKind::Server] {
        let error = StreamError::new(kind, None, MESSAGE);
        let text = text_answer().into_iter().take(1);
        let chunks: Vec<_> = text.chain([Chunk::Error { error }]).collect();
        for framing in writer.server.framings() {
            let bytes = writer.write(*framing, &chunks, false)?;
            let Ok(read) = read(wire, *framing, &[&bytes])? else { continue };
            let is_noticed = read.iter().any(|chunk| match chunk {
                Chunk::Error { error } => error.message.contains(MESSAGE) && error.is_retryable(),
                _ => false,
            });
            if Content::collect(&read).looks_complete() || (*framing != Framing::Whole && !is_noticed) {
                let found = format!("{framing:?}, {kind:?}: {read:?} was read");
                return Err(RuleViolation::new(ServerRule::KeepsFailures, found));
            }
        }
    }
    Ok(())
}
