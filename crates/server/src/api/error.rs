//! Errors of the API.

use std::error::Error;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, RETRY_AFTER};
use axum::http::{Method, Uri};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_app::sessions::AnswerError;
use windlass_app::{AppError, ErrorKind, causes};

/// Error of the API, as its body.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorBody {
    /// The class of the error, for programs.
    pub(crate) code: &'static str,
    /// The error in words.
    pub(crate) message: String,
    /// The window that answered a question first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<String>,
}

/// Error of the API.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    body: ErrorBody,
    retry_after: Option<Duration>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, body: ErrorBody { code, message: message.into(), by: None }, retry_after: None }
    }

    pub(crate) fn wrong_token(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "token", message)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", message)
    }

    pub(crate) fn too_many(message: &str, wait: Duration) -> Self {
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", message);
        Self { retry_after: Some(wait), ..error }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs().saturating_add(1);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<AppError> for ApiError {
    fn from(error: AppError) -> Self {
        let (status, code) = match error.kind() {
            ErrorKind::Invalid => (StatusCode::BAD_REQUEST, "invalid"),
            ErrorKind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            ErrorKind::Conflict => (StatusCode::CONFLICT, "conflict"),
            ErrorKind::MissingKey => (StatusCode::CONFLICT, "missing_key"),
            ErrorKind::MissingFeature => (StatusCode::NOT_IMPLEMENTED, "missing_feature"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "unavailable"),
        };
        Self::new(status, code, causes(&error).join(": "))
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> Self {
        let message = error.to_string();
        match error {
            AnswerError::AlreadyAnswered { by } => {
                let mut error = Self::new(StatusCode::CONFLICT, "already_answered", message);
                error.body.by = by;
                error
            }
            AnswerError::NotOpen { .. } => Self::new(StatusCode::NOT_FOUND, "not_open", message),
            AnswerError::CannotRemember => Self::new(StatusCode::CONFLICT, "cannot_remember", message),
            AnswerError::WrongKind => Self::new(StatusCode::BAD_REQUEST, "wrong_kind", message),
            AnswerError::InvalidArguments { .. } => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_arguments", message)
            }
            AnswerError::RuleChanged => Self::new(StatusCode::CONFLICT, "rule_changed", message),
            AnswerError::RuleNotWritten(error) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "rule_not_written",
                format!("{message}: {}", causes(&error).join(": ")),
            ),
            AnswerError::App(error) => error.into(),
            _ => Self::new(StatusCode::CONFLICT, "conflict", message),
        }
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        let message = match &rejection {
            JsonRejection::JsonDataError(error) => {
                format!("the body does not have the form of this request: {}", cause(error))
            }
            JsonRejection::JsonSyntaxError(error) => format!("the body is not JSON: {}", cause(error)),
            JsonRejection::MissingJsonContentType(_) => {
                "the request needs the header `content-type: application/json`".to_owned()
            }
            _ => "the body cannot be read".to_owned(),
        };
        Self::new(rejection.status(), "invalid", message)
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::invalid(format!("the parameters of the address are not valid: {}", cause(&rejection)))
    }
}

/// Returns the deepest cause of an error, which the parser wrote. The errors above it have the words of axum.
fn cause(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |cause| (*cause).source());
    causes.last().map(ToString::to_string).unwrap_or_default()
}

/// Refuses a path that the server does not have.
pub(crate) async fn refuse_path(uri: Uri) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "not_found", format!("the path {} does not exist", uri.path()))
}

/// Refuses a method that a path does not have.
pub(crate) async fn refuse_method(method: Method, uri: Uri) -> ApiError {
    let message = format!("the path {} does not take {method}", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", message)
}
