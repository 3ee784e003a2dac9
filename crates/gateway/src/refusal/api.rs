//! The public API that a request is for, and the errors of that API where no format has decoded the request.

use serde_json::{Value, json};
use windlass_wire::Server;

use crate::response::json as respond;
use crate::{ClientRequest, GatewayResponse};

/// A public API. OpenAI's two formats are one API with one form of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    OpenAi,
    Anthropic,
    Gemini,
}

impl Api {
    /// Finds the API of a request by its path and headers. A path that two APIs have is Anthropic's if the client names a
    /// version of that API, which its libraries always do.
    pub(crate) fn find(request: &ClientRequest) -> Self {
        let segments: Vec<&str> = request.route().split('/').filter(|segment| !segment.is_empty()).collect();
        if segments.iter().any(|segment| matches!(*segment, "v1beta" | "v1alpha"))
            || request.header("x-goog-api-key").is_some()
        {
            return Self::Gemini;
        }
        // A base URL can end with the version that the client adds again.
        let start =
            segments.iter().rposition(|segment| *segment == "v1").map_or(0, |at| at.saturating_add(1));
        let resource = segments.get(start).copied().unwrap_or_default();
        let is_anthropic = request.header("anthropic-version").is_some()
            || matches!(resource, "messages" | "complete" | "organizations");
        if is_anthropic { Self::Anthropic } else { Self::OpenAi }
    }

    /// Returns an error of the API.
    pub(crate) fn error(self, status: u16, what: &str) -> GatewayResponse {
        self.error_about(status, what, None)
    }

    /// Returns the error about a model that does not exist.
    pub(crate) fn unknown_model(self, what: &str) -> GatewayResponse {
        self.error_about(404, what, Some(("model", "model_not_found")))
    }

    /// Returns an error with the parameter and the code that OpenAI's errors have.
    fn error_about(self, status: u16, what: &str, about: Option<(&str, &str)>) -> GatewayResponse {
        let (parameter, code) = about.unzip();
        let body: Value = match self {
            Self::OpenAi => json!({"error": {
                "message": what, "type": "invalid_request_error", "param": parameter, "code": code,
            }}),
            Self::Anthropic => {
                let kind = match status {
                    403 => "permission_error",
                    404 => "not_found_error",
                    413 => "request_too_large",
                    _ => "invalid_request_error",
                };
                json!({"type": "error", "error": {"type": kind, "message": what}})
            }
            Self::Gemini => {
                let word = match status {
                    403 => "PERMISSION_DENIED",
                    404 => "NOT_FOUND",
                    405 => "UNIMPLEMENTED",
                    408 => "DEADLINE_EXCEEDED",
                    _ => "INVALID_ARGUMENT",
                };
                json!({"error": {"code": status, "message": what, "status": word}})
            }
        };
        respond(status, &body)
    }
}

/// Returns the error for a path that the server does not serve.
pub(crate) fn not_served<'a>(
    method: &str,
    request: &ClientRequest,
    formats: impl Iterator<Item = &'a dyn Server>,
) -> GatewayResponse {
    let names: Vec<&str> = formats.map(Server::name).collect();
    // OpenAI writes "Invalid URL (POST /v1/path)".
    let (path, names) = (request.route(), names.join(", "));
    let what =
        format!("Invalid URL ({method} {path}): {path} is not a served path; the formats here are {names}");
    Api::find(request).error(404, &what)
}

#[cfg(test)]
mod tests;
