//! Lists of models in the form of each API.

use serde_json::{Value, json};

use crate::refusal::api::Api;
use crate::response::json as respond;
use crate::{ClientRequest, GatewayResponse};

/// A model that the lists show.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CatalogModel {
    /// The name that clients send.
    pub id: String,
    /// The provider that serves it.
    pub owner: String,
    /// The input tokens that it takes, if they are known.
    pub context_window: Option<u64>,
    /// The output tokens that it produces at most, if they are known.
    pub max_output_tokens: Option<u64>,
}

impl CatalogModel {
    /// Creates a model whose limits are not known.
    pub fn new(id: impl Into<String>, owner: impl Into<String>) -> Self {
        Self { id: id.into(), owner: owner.into(), context_window: None, max_output_tokens: None }
    }

    /// Sets the limits of the model, in tokens.
    pub fn with_limits(mut self, context_window: Option<u64>, max_output_tokens: Option<u64>) -> Self {
        self.context_window = context_window;
        self.max_output_tokens = max_output_tokens;
        self
    }
}

/// Answers a request for the list of models or for one model; `None` for another path.
pub(super) fn answer(request: &ClientRequest, models: &[&CatalogModel]) -> Option<GatewayResponse> {
    let path = request.route().trim_matches('/');
    let form = Api::find(request);
    let version = path.split_once('/').filter(|(version, _)| matches!(*version, "v1" | "v1beta" | "v1alpha"));
    let rest = version.map_or(path, |(_, rest)| rest);
    if rest == "models" {
        return Some(respond(200, &list(form, models)));
    }
    let id = rest.strip_prefix("models/")?;
    Some(match models.iter().find(|model| model.id == id) {
        Some(model) => respond(200, &entry(form, model)),
        None => form.unknown_model(&format!("the model {id:?} is not in the catalogue")),
    })
}

fn list(form: Api, models: &[&CatalogModel]) -> Value {
    let entries: Vec<Value> = models.iter().map(|model| entry(form, model)).collect();
    let id = |model: Option<&&CatalogModel>| model.map(|model| model.id.clone());
    match form {
        Api::OpenAi => json!({"object": "list", "data": entries}),
        Api::Anthropic => json!({
            "data": entries, "has_more": false, "first_id": id(models.first()), "last_id": id(models.last()),
        }),
        Api::Gemini => json!({"models": entries}),
    }
}

fn entry(form: Api, model: &CatalogModel) -> Value {
    let CatalogModel { id, owner, context_window, max_output_tokens } = model;
    let mut entry = match form {
        // The time of creation is not known, and each API requires the field.
        Api::OpenAi => json!({"id": id, "object": "model", "created": 0, "owned_by": owner}),
        Api::Anthropic => {
            json!({"type": "model", "id": id, "display_name": id, "created_at": "1970-01-01T00:00:00Z"})
        }
        Api::Gemini => json!({
            "name": format!("models/{id}"), "displayName": id,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }),
    };
    let names = match form {
        Api::OpenAi => return entry,
        Api::Anthropic => ["max_input_tokens", "max_tokens"],
        Api::Gemini => ["inputTokenLimit", "outputTokenLimit"],
    };
    if let Some(fields) = entry.as_object_mut() {
        let limits = names.into_iter().zip([context_window, max_output_tokens]);
        fields.extend(limits.filter_map(|(name, limit)| Some((name.to_owned(), Value::from((*limit)?)))));
    }
    entry
}
