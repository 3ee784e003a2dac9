//! Counts of the tokens of a request, without a request to the provider.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_tokens::Tokenizer;

use crate::refusal::api::Api;
use crate::response::json as respond;
use crate::{ClientRequest, GatewayResponse, estimate};

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
    let Ok(named) = serde_json::from_slice::<NamedModel<'_>>(&request.body) else {
        return Api::find(request).error(400, "the body is not valid JSON");
    };
    let model = match form {
        Form::Gemini => path.rsplit_once("models/").map(|(_, rest)| rest.trim_end_matches(":countTokens")),
        _ => named.model.as_deref(),
    };
    let Some(model) = model.filter(|model| !model.is_empty()) else {
        return Api::find(request).error(400, "the request names no model");
    };
    let tokenizer = Tokenizer::for_model(model);
    let Some(tokens) = estimate::input_tokens(&request.body, &tokenizer) else {
        return Api::find(request).error(400, "the body is not a JSON object");
    };
    let mut answer = respond(200, &form.count(tokens));
    let kind = if tokenizer.is_exact() { "exact-text" } else { "estimate" };
    answer.headers.push(("x-windlass-count".to_owned(), kind.to_owned()));
    answer
}

/// The model of a request.
#[derive(Deserialize)]
struct NamedModel<'a> {
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
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
}
