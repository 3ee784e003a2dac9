//! Values of a response: ids, times and headers.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use windlass_wire::{ProviderError, ProviderErrorKind, Server};

use crate::answer::GatewayResponse;
use crate::refusal::stopping_error;

/// Converts a text to a valid header value: printable ASCII, at most 1,024 characters.
pub(crate) fn header(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_ascii_graphic() || letter == ' ' { letter } else { '?' })
        .take(1024)
        .collect()
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns a unique id from the time and 64 random bits; only the time if no randomness is available.
pub(crate) fn new_id() -> String {
    let random = getrandom::u64().unwrap_or_default();
    format!("{:x}{random:016x}", now())
}

/// Separates the media type from the other headers of a forwarded answer.
pub(crate) fn split_content_type(
    mut headers: Vec<(String, String)>,
    default: impl FnOnce() -> &'static str,
) -> (String, Vec<(String, String)>) {
    match headers.iter().position(|(name, _)| name == "content-type") {
        Some(position) => {
            let (_, content_type) = headers.remove(position);
            headers.retain(|(name, _)| name != "content-type");
            (content_type, headers)
        }
        None => (default().to_owned(), headers),
    }
}

/// Returns status 503: the gateway itself is unavailable, and 502 would blame the upstream provider.
pub(crate) fn refuse_while_stopping(server: &dyn Server) -> GatewayResponse {
    GatewayResponse { status: 503, ..refuse(server, &stopping_error()) }
}

/// Returns the response to a request that failed, in the client's format.
pub(crate) fn refuse(server: &dyn Server, error: &ProviderError) -> GatewayResponse {
    let (status, body) = server.encode_error(error);
    // An upstream failure is status 502 for a gateway, unless the format has a status for an overload.
    let is_failure = error.kind == ProviderErrorKind::Server && !matches!(error.status, Some(503 | 529));
    let status = if is_failure { 502 } else { status };
    let mut answer = GatewayResponse::whole(status, body);
    if let Some(wait) = error.retry_after {
        // Round up to whole seconds, because a client that retries too early is rejected again.
        let seconds = wait.as_millis().div_ceil(1000);
        answer.headers.push(("retry-after".to_owned(), seconds.to_string()));
    }
    answer
}

/// Returns an answer whose body begins with these pieces, which were read from it.
pub(crate) fn prepend(pieces: Vec<io::Result<Bytes>>, mut answer: GatewayResponse) -> GatewayResponse {
    let rest = std::mem::replace(&mut answer.body, Box::pin(stream::empty()));
    answer.body = Box::pin(stream::iter(pieces).chain(rest));
    answer
}

/// Returns a response with a JSON value.
pub(crate) fn json(status: u16, value: &serde_json::Value) -> GatewayResponse {
    GatewayResponse::whole(status, value.to_string().into_bytes())
}
