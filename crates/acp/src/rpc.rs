//! Messages of JSON-RPC 2.0, and their errors.

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_app::{AppError, ErrorKind, one_line};

/// Error of a request, as the client receives it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl RpcError {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub(crate) fn parse(message: impl Into<String>) -> Self {
        Self::new(-32_700, message)
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(-32_600, message)
    }

    pub(crate) fn unknown_method(method: &str) -> Self {
        let shown: String = method.chars().take(100).collect();
        Self::new(-32_601, format!("the method {shown:?} does not exist"))
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32_602, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(-32_603, message)
    }

    /// The provider's key is missing.
    pub(crate) fn auth_required(message: impl Into<String>) -> Self {
        Self::new(-32_000, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(-32_002, message)
    }

    pub(crate) fn to_value(&self) -> Value {
        json!({"code": self.code, "message": self.message})
    }
}

impl From<AppError> for RpcError {
    fn from(error: AppError) -> Self {
        let message = one_line(&error);
        match error.kind() {
            ErrorKind::MissingKey => Self::auth_required(message),
            ErrorKind::NotFound => Self::not_found(message),
            ErrorKind::Invalid => Self::invalid_params(message),
            ErrorKind::Conflict => Self::invalid_request(message),
            _ => Self::internal(message),
        }
    }
}

/// Message of the client.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming {
    Request { id: Value, method: String, params: Value },
    Notification { method: String, params: Value },
    Response { id: u64, result: Result<Value, RpcError> },
}

#[derive(Deserialize)]
struct Raw {
    jsonrpc: Option<String>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    error: Option<Value>,
}

/// Reads a field that is present, so that a null differs from a missing field.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Parses a line. The error has the id of the request, or null.
pub(crate) fn parse(line: &[u8]) -> Result<Incoming, (Value, RpcError)> {
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| (Value::Null, RpcError::parse(format!("the line is not JSON: {error}"))))?;
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let refuse = |text: &str| (id.clone().unwrap_or_default(), RpcError::invalid_request(text));
    if !value.is_object() {
        return Err(refuse("a message is an object; batches are not supported"));
    }
    let raw =
        Raw::deserialize(value).map_err(|error| refuse(&format!("the message is malformed: {error}")))?;
    if raw.jsonrpc.as_deref() != Some("2.0") {
        return Err(refuse("the field jsonrpc has to be \"2.0\""));
    }
    match (raw.method, raw.id) {
        (Some(method), Some(_)) => {
            let id =
                id.ok_or_else(|| (Value::Null, RpcError::invalid_request("an id is a string or a number")))?;
            Ok(Incoming::Request { id, method, params: raw.params })
        }
        (Some(method), None) => Ok(Incoming::Notification { method, params: raw.params }),
        (None, Some(id)) => {
            let id = id.as_u64().ok_or_else(|| refuse("the response has an unknown id"))?;
            Ok(Incoming::Response { id, result: response(raw.result, raw.error) })
        }
        (None, None) => Err(refuse("the message has neither a method nor an id")),
    }
}

fn response(result: Option<Value>, error: Option<Value>) -> Result<Value, RpcError> {
    if let Some(error) = error.filter(|error| !error.is_null()) {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("an error without a message");
        let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
        return Err(RpcError::new(code, message));
    }
    Ok(result.unwrap_or_default())
}

/// Reads the parameters of a method.
pub(crate) fn read_params<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    T::deserialize(params)
        .map_err(|error| RpcError::invalid_params(format!("the parameters are wrong: {error}")))
}

#[cfg(test)]
mod tests;
