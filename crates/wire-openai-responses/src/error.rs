//! Decodes errors, both whole error bodies and error objects inside a stream.

use serde_json::Value;
use windlass_stream::{StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind, names_context_length};

/// The fields of an error object, in any of the forms that servers use.
struct ErrorFields {
    code: Option<String>,
    kind: Option<String>,
    parameter: Option<String>,
    message: String,
}

/// The words of codes, types and messages that decide the kind; the more specific kinds come first. An
/// exhausted quota is a 429 for which waiting does not help, and a context that is too long is a 400.
const KINDS: &[(ProviderErrorKind, &[&str])] = &[
    (ProviderErrorKind::ContextLength, &["context_length", "context window", "maximum context"]),
    (ProviderErrorKind::Quota, &["insufficient_quota", "billing", "insufficient_balance", "credits"]),
    (ProviderErrorKind::RateLimit, &["rate_limit", "too_many_requests", "tokens_exceeded"]),
    (ProviderErrorKind::Authentication, &["invalid_api_key", "authentication", "permission", "unauthorized"]),
    (ProviderErrorKind::NotFound, &["model_not_found", "not_found", "deploymentnotfound"]),
    (ProviderErrorKind::Server, &["server_error", "overloaded", "unavailable", "timeout"]),
];

/// Decodes the body of an error response.
pub(crate) fn decode_error(status: u16, body: &[u8]) -> ProviderError {
    let fields = match serde_json::from_slice::<Value>(body) {
        // Some gateways wrap the object in a list.
        Ok(Value::Array(items)) if items.len() == 1 => items.first().and_then(ErrorFields::read),
        Ok(value) => ErrorFields::read(&value),
        Err(_) => None,
    };
    let Some(fields) = fields else { return ProviderError::not_provider(status, body) };
    let kind = fields.provider_kind().unwrap_or_else(|| ProviderError::kind_of(status));
    fields.into_error(kind)
}

/// Returns true if a body is an error and not a response.
pub(crate) fn has_error(json: &str) -> bool {
    let value: Value = serde_json::from_str(json).unwrap_or_default();
    value.get("error").is_some_and(|error| !error.is_null()) || value.get("type") == Some(&"error".into())
}

/// Decodes an error object inside a stream (RULES S12).
pub(crate) fn stream_error(json: &str) -> StreamError {
    let value = serde_json::from_str(json).unwrap_or(Value::Null);
    let Some(fields) = ErrorFields::read(&value) else {
        let words = "the provider reported an error without a message";
        return StreamError::new(StreamErrorKind::Unknown, None, words);
    };
    let kind = fields.provider_kind();
    let special = match kind {
        Some(ProviderErrorKind::Server) if fields.says("overloaded") => Some(StreamErrorKind::Overloaded),
        Some(_) => None,
        None if ["content_policy", "content_filter", "moderation", "safety"]
            .iter()
            .any(|w| fields.says(w)) =>
        {
            Some(StreamErrorKind::Blocked)
        }
        None if fields.says("invalid") || fields.says("unsupported") => None,
        None => Some(StreamErrorKind::Unknown),
    };
    fields.into_error(kind.unwrap_or(ProviderErrorKind::Request)).into_stream_error(special)
}

impl ErrorFields {
    /// Reads `{"error": {…}}`, `{"error": "…", "code": "…"}`, the object itself, or `{"detail": …}`.
    fn read(value: &Value) -> Option<Self> {
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        if let Value::String(message) = error {
            let (code, message) = (text(value.get("code")), message.clone());
            return Some(Self { code, kind: None, parameter: None, message });
        }
        let detail = || match error.get("detail")? {
            Value::String(detail) => Some(detail.clone()),
            Value::Array(items) => text(items.first()?.get("msg")),
            _ => None,
        };
        let fields = Self {
            code: text(error.get("code")),
            // The type of an event is not the type of its error.
            kind: text(error.get("type")).filter(|kind| kind != "error"),
            parameter: text(error.get("param")),
            message: text(error.get("message")).or_else(detail).unwrap_or_default(),
        };
        let is_empty = fields.message.is_empty() && fields.code.is_none() && fields.kind.is_none();
        (!is_empty).then_some(fields)
    }

    fn into_error(self, kind: ProviderErrorKind) -> ProviderError {
        ProviderError::new(kind, self.code.or(self.kind), self.message).with_parameter(self.parameter)
    }

    /// Returns true if the code or the type contains this word, in any case.
    fn says(&self, word: &str) -> bool {
        [&self.code, &self.kind].into_iter().flatten().any(|text| text.to_ascii_lowercase().contains(word))
    }

    fn provider_kind(&self) -> Option<ProviderErrorKind> {
        let is_long = |word: &&str| word.contains(' ') && self.message.contains(*word);
        let found = |words: &[&str]| words.iter().any(|word| self.says(word) || is_long(word));
        let kind = KINDS.iter().find(|(_, words)| found(words)).map(|(kind, _)| *kind);
        let by_words = || names_context_length(&self.message).then_some(ProviderErrorKind::ContextLength);
        kind.or_else(by_words)
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
