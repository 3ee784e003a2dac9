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
    /// The code as an HTTP status, if it is a number, as from `OpenRouter` and llama.cpp.
    status: Option<u16>,
}

/// Decodes the body of an error response.
pub(crate) fn decode_error(status: u16, body: &[u8]) -> ProviderError {
    let value = match serde_json::from_slice::<Value>(body) {
        // Some gateways wrap the object in a list.
        Ok(Value::Array(mut items)) if items.len() == 1 => items.swap_remove(0),
        Ok(value) => value,
        Err(_) => return ProviderError::not_provider(status, body),
    };
    let Some(fields) = ErrorFields::read(&value) else {
        return ProviderError::not_provider(status, body);
    };
    let kind = fields.provider_kind(status);
    fields.into_error(kind)
}

/// Decodes an error object inside a stream (RULES S12).
pub(crate) fn stream_error(error: &Value) -> StreamError {
    let Some(fields) = ErrorFields::read(error) else {
        return StreamError::new(
            StreamErrorKind::Unknown,
            None,
            "the provider reported an error without a message",
        );
    };
    let kind = fields.provider_kind(fields.status.unwrap_or(0));
    let special = match kind {
        ProviderErrorKind::Server if fields.says(&["overloaded"]) => Some(StreamErrorKind::Overloaded),
        ProviderErrorKind::Request if fields.says(&["content_filter", "content_policy", "moderation"]) => {
            Some(StreamErrorKind::Blocked)
        }
        ProviderErrorKind::Request
            if fields.status.is_none() && fields.code.is_none() && fields.kind.is_none() =>
        {
            Some(StreamErrorKind::Unknown)
        }
        _ => None,
    };
    fields.into_error(kind).into_stream_error(special)
}

impl ErrorFields {
    /// Reads `{"error": {…}}`, `{"error": "…"}`, `{"message": …}` or `{"detail": …}`.
    fn read(value: &Value) -> Option<Self> {
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        if let Value::String(message) = error {
            let code = text(value.get("code")).or_else(|| text(value.get("error_type")));
            return Some(Self { code, kind: None, parameter: None, message: message.clone(), status: None });
        }
        let detail = || match error.get("detail")? {
            Value::String(detail) => Some(detail.clone()),
            Value::Array(items) => text(items.first()?.get("msg")),
            _ => None,
        };
        let code = error.get("code");
        let status = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
        let fields = Self {
            status: status.and_then(|status| u16::try_from(status).ok()),
            code: text(code),
            kind: text(error.get("type")),
            parameter: text(error.get("param")),
            message: text(error.get("message")).or_else(detail).unwrap_or_default(),
        };
        let is_empty = fields.message.is_empty() && fields.code.is_none() && fields.kind.is_none();
        (!is_empty).then_some(fields)
    }

    fn into_error(self, kind: ProviderErrorKind) -> ProviderError {
        ProviderError::new(kind, self.code.or(self.kind), self.message).with_parameter(self.parameter)
    }

    /// Returns true if the code or the type contains one of these words.
    fn says(&self, words: &[&str]) -> bool {
        let has = |text: &Option<String>| {
            text.as_ref().is_some_and(|text| words.iter().any(|word| text.contains(word)))
        };
        has(&self.code) || has(&self.kind)
    }

    /// Returns true if the status allows the message to decide the kind. A 429 whose message is about a
    /// context is still a 429.
    fn is_about_request(&self, status: u16) -> bool {
        let status = if status == 0 { self.status.unwrap_or(0) } else { status };
        matches!(status, 0 | 200 | 400 | 413 | 422)
    }

    fn provider_kind(&self, status: u16) -> ProviderErrorKind {
        // Words take precedence over the status: an exhausted quota is a 429 for which waiting does not help,
        // and a context that is too long is a 400.
        if self.says(&["context_length", "too_many_prompt_tokens", "exceed_context_size"])
            || self.message.contains("maximum context length")
            || (self.is_about_request(status) && names_context_length(&self.message))
        {
            return ProviderErrorKind::ContextLength;
        }
        if self.says(&["insufficient_quota", "insufficient_balance", "billing", "credit"]) {
            return ProviderErrorKind::Quota;
        }
        if self.says(&["rate_limit", "tokens_exceeded", "requests_exceeded"]) {
            return ProviderErrorKind::RateLimit;
        }
        if self.says(&["invalid_api_key", "authentication", "permission", "unauthorized"]) {
            return ProviderErrorKind::Authentication;
        }
        if self.says(&["model_not_found", "DeploymentNotFound", "not_found"]) {
            return ProviderErrorKind::NotFound;
        }
        if self.says(&["server_error", "overloaded", "unavailable"]) {
            return ProviderErrorKind::Server;
        }
        let status = if status == 0 { self.status.unwrap_or(0) } else { status };
        ProviderError::kind_of(status)
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
