//! The first event of a stream, by which a failure is found before the client received a byte.

use std::io;

use bytes::Bytes;
use futures_util::StreamExt as _;
use serde_json::Value;

use super::cool_downs::FallbackReason;
use crate::GatewayResponse;
use crate::response::prepend;

/// Maximum bytes that are held until the first event is whole. A longer event is not an error.
const MOST_BYTES: usize = 64 << 10;

/// Reads a successful answer up to its first event, or its first bytes if it is not a stream of events. Returns the answer
/// with the reason for another attempt, if there is one.
pub(super) async fn examine(mut answer: GatewayResponse) -> (GatewayResponse, Option<FallbackReason>) {
    let is_stream = answer.content_type.starts_with("text/event-stream");
    let mut pieces: Vec<io::Result<Bytes>> = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    let reason = loop {
        let piece = answer.body.next().await;
        let Some(piece) = piece else { break Some(FallbackReason::Broken) };
        let Ok(bytes) = &piece else {
            pieces.push(piece);
            break Some(FallbackReason::Broken);
        };
        text.extend_from_slice(bytes);
        pieces.push(piece);
        if !is_stream || text.len() > MOST_BYTES {
            break None;
        }
        if let Some(event) = find_event(&text) {
            break read_failure(&event);
        }
    };
    (prepend(pieces, answer), reason)
}

/// Returns the data of the first whole event; `null` for an event without data, `None` if the bytes do not contain a
/// whole event yet. A comment is an event without data: a client of the stream has waited for its answer.
fn find_event(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (event, _) = text.split_once("\n\n")?;
    let data: Vec<&str> =
        event.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim_start).collect();
    Some(serde_json::from_str(&data.join("\n")).unwrap_or_default())
}

/// Returns the reason for another attempt in the data of an error event. An error of the request is one that every
/// upstream would repeat.
fn read_failure(data: &Value) -> Option<FallbackReason> {
    let kind = data.get("type").and_then(Value::as_str).unwrap_or_default();
    let error = match kind {
        "error" => data.get("error").filter(|error| error.is_object()).unwrap_or(data),
        "response.failed" => data.pointer("/response/error").unwrap_or(data),
        _ => data.get("error").filter(|error| !error.is_null())?,
    };
    let words = ["type", "code", "status"].map(|name| match error.get(name) {
        Some(Value::String(word)) => word.to_ascii_lowercase(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    });
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    if has(&["insufficient_quota", "billing_error", "402"]) {
        Some(FallbackReason::Quota)
    } else if has(&["rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "429"]) {
        Some(FallbackReason::RateLimit)
    } else if has(&[
        "authentication_error",
        "permission_error",
        "unauthenticated",
        "permission_denied",
        "401",
        "403",
    ]) {
        Some(FallbackReason::Authentication)
    } else if has(&["not_found_error", "model_not_found", "not_found", "404"]) {
        Some(FallbackReason::NotFound)
    } else if has(&[
        "invalid_request_error",
        "invalid_argument",
        "context_length_exceeded",
        "invalid_prompt",
        "400",
        "413",
    ]) {
        None
    } else {
        Some(FallbackReason::Failure)
    }
}

#[cfg(test)]
mod tests;
