//! The requests that a provider refuses, and the shape of its errors.

use serde_json::{Value, json};

use super::{Reply, gemini, items, media, pairing};
use crate::render::Format;

/// The model name that the provider does not know.
const NO_SUCH_MODEL: &str = "no-such-model";
/// The API key that the provider does not accept.
const WRONG_KEY: &str = "wrong-key";

/// The code by which Anthropic's libraries recognize that a request in a thread must be sent without it.
const NO_THREADS: &str = "thread_unsupported_request";

#[derive(Debug)]
pub(super) struct Refusal {
    status: u16,
    kind: &'static str,
    message: String,
    parameter: Option<String>,
    code: Option<&'static str>,
}

impl Refusal {
    pub(super) fn new(status: u16, kind: &'static str, message: String) -> Self {
        Self { status, kind, message, parameter: None, code: None }
    }

    /// Creates the error for a request that breaks a rule of the provider.
    pub(super) fn request(message: String, parameter: Option<String>) -> Self {
        Self { parameter, ..Self::new(400, "invalid_request_error", message) }
    }

    pub(super) fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    pub(super) fn body(&self, format: Format) -> Value {
        match format {
            Format::Chat | Format::Responses => json!({"error": {
                "message": self.message, "type": self.kind, "param": self.parameter, "code": self.code,
            }}),
            Format::Anthropic => self.anthropic_body(),
            Format::Gemini => json!({"error": {
                "code": self.status.min(503), "message": self.message, "status": canonical(self.status),
                "details": [{"fieldViolations": [{"field": self.parameter}], "reason": self.code}],
            }}),
        }
    }

    fn anthropic_body(&self) -> Value {
        let message = match &self.parameter {
            Some(parameter) => format!("{parameter}: {}", self.message),
            None => self.message.clone(),
        };
        let mut error = json!({"type": self.kind, "message": message});
        if self.code == Some(NO_THREADS) {
            error["details"] = json!({"error_code": NO_THREADS});
        }
        json!({"type": "error", "error": error})
    }

    pub(super) fn reply(&self, format: Format) -> Reply {
        Reply::json(self.status, &self.body(format))
    }
}

/// Returns the error type of OpenAI and Anthropic for a status.
pub(super) fn refusal_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        503 | 529 => "overloaded_error",
        500..=599 => "api_error",
        _ => "invalid_request_error",
    }
}

/// Returns Google's canonical error code for a status.
fn canonical(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 | 529 => "UNAVAILABLE",
        500..=599 => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

/// Refuses the key that the provider does not accept.
pub(super) fn check_key(format: Format, key: Option<&str>) -> Result<(), Refusal> {
    if key != Some(WRONG_KEY) {
        return Ok(());
    }
    let kind = if format == Format::Anthropic { "authentication_error" } else { "invalid_request_error" };
    Err(Refusal::new(401, kind, "the API key is not valid".to_owned()).with_code("invalid_api_key"))
}

/// Validates a request like the provider, and returns the model's name.
pub(super) fn check(format: Format, request: &Value) -> Result<&str, Refusal> {
    let Some(model) = request.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) else {
        return Err(missing("model"));
    };
    if model == NO_SUCH_MODEL {
        let kind = if format == Format::Anthropic { "not_found_error" } else { "invalid_request_error" };
        let message = format!("the model {model} does not exist");
        return Err(Refusal::new(404, kind, message).with_code("model_not_found"));
    }
    if format == Format::Anthropic && request.get("max_tokens").and_then(Value::as_u64).unwrap_or(0) == 0 {
        return Err(missing("max_tokens"));
    }
    if format == Format::Anthropic && request.get("thread").is_some_and(|thread| !thread.is_null()) {
        // The script does not store conversations, so an answer to the end of a thread would ignore its beginning.
        let message = "threads are not available for this model".to_owned();
        return Err(Refusal::request(message, Some("thread".to_owned())).with_code(NO_THREADS));
    }
    let field = match format {
        Format::Responses => "input",
        Format::Gemini => "contents",
        Format::Chat | Format::Anthropic => "messages",
    };
    if format == Format::Responses && request.get(field).is_some_and(Value::is_string) {
        return Ok(model);
    }
    let Some(messages) = request.get(field).and_then(Value::as_array) else {
        return Err(missing(field));
    };
    if messages.is_empty() {
        return Err(Refusal::request("at least one message is required".to_owned(), Some(field.to_owned())));
    }
    match format {
        Format::Chat => pairing::chat(messages)?,
        Format::Responses => items::check(messages)?,
        Format::Anthropic => pairing::anthropic(messages)?,
        Format::Gemini => gemini::contents(messages)?,
    }
    media::check(format, messages).map_err(|part| Refusal::request(part.message, Some(part.place)))?;
    Ok(model)
}

fn missing(parameter: &str) -> Refusal {
    Refusal::request(format!("the field {parameter} is required"), Some(parameter.to_owned()))
}
