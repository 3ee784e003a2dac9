//! Parsers of providers' model lists, one for each known format.

use serde::de::IntoDeserializer;
use serde::de::value::{Error as NameError, StrDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_wire::Wire;

use crate::capability::{Ability, Claims};
use crate::listing::ModelEntry;

/// Format of a vendor's model list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Discovery {
    /// `GET /models` in OpenAI's format: names, seldom more.
    #[default]
    OpenAi,
    /// `GET /models` with `supported_parameters`, in OpenRouter's format.
    OpenRouter,
    /// `GET /models`, then `POST /api/show` for each model, in Ollama's format.
    Ollama,
    /// `GET /v1/models` in Anthropic's format.
    Anthropic,
    /// `GET /models` in Gemini's format.
    Gemini,
    /// The vendor has no list.
    None,
}

/// One page of a model list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelPage {
    /// Models of the page, in the provider's order.
    pub models: Vec<ModelEntry>,
    /// Path and query of the next page, relative to the base URL; `None` after the last page.
    pub next: Option<String>,
}

/// One page of a model list, with the query of the next page.
#[derive(Debug, Default, PartialEq)]
struct Page {
    models: Vec<ModelEntry>,
    /// Query string of the next page; `None` after the last page.
    next: Option<String>,
}

impl Discovery {
    /// Returns the list format of a wire format's API.
    pub(crate) fn for_wire(wire: &dyn Wire) -> Self {
        let name: StrDeserializer<'_, NameError> = wire.model_list().into_deserializer();
        Self::deserialize(name).unwrap_or_default()
    }

    /// Returns path and query of the list's first page, relative to the base URL, or `None` if the provider has
    /// no list.
    pub fn first_page(self) -> Option<String> {
        let query = match self {
            Self::None => return None,
            Self::OpenAi | Self::OpenRouter | Self::Ollama => return Some(self.path().to_owned()),
            Self::Anthropic => "limit=1000",
            Self::Gemini => "pageSize=1000",
        };
        Some(format!("{}?{query}", self.path()))
    }

    /// Parses a page of the list. Returns `None` if the body is not such a list.
    pub fn parse_page(self, body: &[u8]) -> Option<ModelPage> {
        let Page { models, next } = if self == Self::Gemini { gemini_models(body)? } else { models(body)? };
        Some(ModelPage { models, next: next.map(|query| format!("{}?{query}", self.path())) })
    }

    fn path(self) -> &'static str {
        if self == Self::Anthropic { "/v1/models" } else { "/models" }
    }
}

/// A list entry in OpenAI's format with other servers' additions: OpenRouter's parameters, Mistral's
/// capabilities, and the different names of the context window.
#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(
        alias = "context_window",
        alias = "max_model_len",
        alias = "max_context_length",
        alias = "max_input_tokens"
    )]
    context_length: Option<u64>,
    supported_parameters: Option<Vec<String>>,
    architecture: Option<Architecture>,
    top_provider: Option<TopProvider>,
    capabilities: Option<Value>,
}

#[derive(Deserialize)]
struct Architecture {
    input_modalities: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct TopProvider {
    max_completion_tokens: Option<u64>,
}

/// Parses a list in the format of OpenAI, OpenRouter or Anthropic. Returns `None` if the body is not such a
/// list.
fn models(body: &[u8]) -> Option<Page> {
    let body: Value = serde_json::from_slice(body).ok()?;
    // Together sends the array without an envelope.
    let items = body.as_array().or_else(|| body.get("data")?.as_array())?;
    // An entry of unknown form must not hide the others.
    let entries = items.iter().filter_map(|item| Entry::deserialize(item).ok());
    let has_more = body.get("has_more").and_then(Value::as_bool).unwrap_or(false);
    let last = body.get("last_id").and_then(Value::as_str).filter(|_| has_more);
    let next = last.map(|id| format!("limit=1000&after_id={}", escape(id)));
    Some(Page { models: entries.map(Entry::model).collect(), next })
}

/// Parses a list in Gemini's format. Leaves out models without `generateContent`.
fn gemini_models(body: &[u8]) -> Option<Page> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct List {
        #[serde(default)]
        models: Vec<Item>,
        next_page_token: Option<String>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Item {
        name: String,
        input_token_limit: Option<u64>,
        output_token_limit: Option<u64>,
        #[serde(default)]
        supported_generation_methods: Vec<String>,
        thinking: Option<bool>,
    }
    let list: List = serde_json::from_slice(body).ok()?;
    let answers =
        |item: &Item| item.supported_generation_methods.iter().any(|method| method == "generateContent");
    let models = list.models.into_iter().filter(answers).map(|item| ModelEntry {
        id: item.name.strip_prefix("models/").unwrap_or(&item.name).to_owned(),
        context_tokens: item.input_token_limit,
        output_tokens: item.output_token_limit,
        abilities: item.thinking.map(|thinks| (Ability::Reasoning, thinks)).into_iter().collect(),
    });
    let next = list.next_page_token.filter(|token| !token.is_empty());
    let next = next.map(|token| format!("pageSize=1000&pageToken={}", escape(&token)));
    Some(Page { models: models.collect(), next })
}

/// Adds the capabilities and the context window from Ollama's `/api/show`.
pub fn add_model_details(body: &[u8], model: &mut ModelEntry) {
    #[derive(Deserialize)]
    struct ShownModel {
        capabilities: Option<Vec<String>>,
        #[serde(default)]
        model_info: serde_json::Map<String, Value>,
    }
    let Ok(shown) = serde_json::from_slice::<ShownModel>(body) else { return };
    // Older servers send no capabilities; then the abilities stay unknown.
    if let Some(held) = shown.capabilities {
        for (name, ability) in
            [("tools", Ability::NativeTools), ("vision", Ability::Images), ("thinking", Ability::Reasoning)]
        {
            model.abilities.insert(ability, held.iter().any(|held| held == name));
        }
    }
    let window = shown.model_info.iter().find(|(name, _)| name.ends_with(".context_length"));
    model.context_tokens = window.and_then(|(_, value)| value.as_u64()).or(model.context_tokens);
}

impl Entry {
    fn model(self) -> ModelEntry {
        let mut abilities = Claims::new();
        if let Some(parameters) = &self.supported_parameters {
            for (name, ability) in [
                ("tools", Ability::NativeTools),
                ("tool_choice", Ability::ForcedToolChoice),
                ("structured_outputs", Ability::StructuredOutput),
                ("response_format", Ability::JsonOutput),
                ("reasoning", Ability::Reasoning),
            ] {
                abilities.insert(ability, parameters.iter().any(|held| held == name));
            }
            // Most lists omit this parameter even for models that support it, so its absence is not evidence.
            if parameters.iter().any(|held| held == "parallel_tool_calls") {
                abilities.insert(Ability::ParallelCalls, true);
            }
        }
        if let Some(modalities) = self.architecture.and_then(|architecture| architecture.input_modalities) {
            let has = |name: &str| modalities.iter().any(|held| held == name);
            abilities.insert(Ability::Images, has("image"));
            abilities.insert(Ability::Audio, has("audio"));
            // OpenRouter converts documents for models that do not read them, so absence is not evidence.
            if has("file") {
                abilities.insert(Ability::Documents, true);
            }
        }
        for (name, ability) in [("function_calling", Ability::NativeTools), ("vision", Ability::Images)] {
            let held = self.capabilities.as_ref().and_then(|held| held.get(name)?.as_bool());
            abilities.extend(held.map(|has| (ability, has)));
        }
        ModelEntry {
            id: self.id,
            context_tokens: self.context_length,
            output_tokens: self.top_provider.and_then(|provider| provider.max_completion_tokens),
            abilities,
        }
    }
}

/// Percent-encodes text for a query string.
fn escape(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests;
