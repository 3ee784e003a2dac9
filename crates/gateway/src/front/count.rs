//! Counts of the tokens of a request, without a request to the provider.

use serde_json::{Value, json};
use windlass_tokens::Tokenizer;

use crate::response::json as respond;
use crate::{ClientRequest, GatewayResponse};

/// Tokens of a picture or a document in base64: providers count pixels and pages, which are not known here.
const OF_A_FILE: u64 = 1_500;
/// Tokens around each message.
const OF_A_MESSAGE: u64 = 4;
/// The beginning of a text under the key `data` that decides if it is a file. A shorter text is counted.
const LONGEST_DATA: usize = 512;

/// Returns true if a request asks for a count.
pub(super) fn is_count(request: &ClientRequest) -> bool {
    Form::find(request.route()).is_some()
}

/// Counts the tokens of a request.
///
/// The header `x-windlass-count` is `exact-text` if the model's tokenizer is known, else `estimate`. The tokens that a
/// provider adds to tools, roles and files are estimated in both cases.
pub(super) fn answer(request: &ClientRequest) -> GatewayResponse {
    let path = request.route();
    let form = Form::find(path).unwrap_or(Form::Responses);
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return respond(400, &form.refusal("the body is not valid JSON"));
    };
    let model = match form {
        Form::Gemini => path.rsplit_once("models/").map(|(_, rest)| rest.trim_end_matches(":countTokens")),
        _ => body.get("model").and_then(Value::as_str),
    };
    let Some(model) = model.filter(|model| !model.is_empty()) else {
        return respond(400, &form.refusal("the request names no model"));
    };
    let tokenizer = Tokenizer::for_model(model);
    let mut tokens = 0;
    for name in [
        "system",
        "instructions",
        "messages",
        "input",
        "contents",
        "systemInstruction",
        "tools",
        "generateContentRequest",
    ] {
        tokens = body.get(name).map_or(tokens, |value| value_tokens(&tokenizer, value, "", tokens));
    }
    let mut answer = respond(200, &form.count(tokens));
    let kind = if tokenizer.is_exact() { "exact-text" } else { "estimate" };
    answer.headers.push(("x-windlass-count".to_owned(), kind.to_owned()));
    answer
}

/// Returns true for a file in base64. The `data` of a text document differs from it by its blanks.
fn is_file(name: &str, text: &str) -> bool {
    let start = text.as_bytes().get(..LONGEST_DATA);
    let is_base64 = |start: &[u8]| {
        start
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'='))
    };
    let is_url = text.starts_with("data:") && text.contains(";base64,");
    is_url || matches!(name, "data" | "file_data") && start.is_some_and(is_base64)
}

/// Adds the tokens of a value. The recursion is bounded by the limit of the parser.
fn value_tokens(tokenizer: &Tokenizer, value: &Value, name: &str, tokens: u64) -> u64 {
    match value {
        Value::String(text) if is_file(name, text) => tokens.saturating_add(OF_A_FILE),
        Value::String(text) => tokens.saturating_add(tokenizer.count(text)),
        Value::Array(items) => {
            items.iter().fold(tokens, |tokens, item| value_tokens(tokenizer, item, name, tokens))
        }
        Value::Object(fields) => {
            let around = if fields.contains_key("role") { OF_A_MESSAGE } else { 0 };
            let start = tokens.saturating_add(around);
            let is_text =
                |name: &str| !matches!(name, "role" | "type" | "id" | "tool_use_id" | "cache_control");
            let texts = fields.iter().filter(|(name, _)| is_text(name));
            texts.fold(start, |tokens, (name, value)| value_tokens(tokenizer, value, name, tokens))
        }
        Value::Null | Value::Bool(_) => tokens,
        Value::Number(_) => tokens.saturating_add(1),
    }
}

#[derive(Clone, Copy)]
enum Form {
    Anthropic,
    Gemini,
    Responses,
}

impl Form {
    fn find(path: &str) -> Option<Self> {
        if path.ends_with("/messages/count_tokens") {
            Some(Self::Anthropic)
        } else if path.ends_with(":countTokens") {
            Some(Self::Gemini)
        } else {
            path.ends_with("/responses/input_tokens").then_some(Self::Responses)
        }
    }

    fn count(self, tokens: u64) -> Value {
        match self {
            Self::Anthropic => json!({"input_tokens": tokens}),
            Self::Gemini => json!({"totalTokens": tokens}),
            Self::Responses => json!({"object": "response.input_tokens", "input_tokens": tokens}),
        }
    }

    fn refusal(self, what: &str) -> Value {
        match self {
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": "invalid_request_error", "message": what}})
            }
            Self::Gemini => json!({"error": {"code": 400, "message": what, "status": "INVALID_ARGUMENT"}}),
            Self::Responses => {
                json!({"error": {"message": what, "type": "invalid_request_error", "param": null, "code": null}})
            }
        }
    }
}
