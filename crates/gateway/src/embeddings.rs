//! Requests for embeddings: their API, their model and their address at an upstream.

mod embed;

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use windlass_wire::{EmbeddingsApi, Framing, Outline, ProviderError, Server};

use crate::passthrough::{query, rename};
use crate::{ClientRequest, refusal};

/// The API of a request for embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Embeddings {
    OpenAi,
    /// `embedContent` or `batchEmbedContents`.
    Gemini(&'static str),
}

impl Embeddings {
    /// Finds the API by the path of a request.
    pub(crate) fn find(request: &ClientRequest) -> Option<Self> {
        let path = request.route();
        if path.ends_with("/embeddings") {
            return Some(Self::OpenAi);
        }
        let methods = ["embedContent", "batchEmbedContents"];
        let (_, method) = path.rsplit_once("models/")?.1.rsplit_once(':')?;
        methods.into_iter().find(|known| *known == method).map(Self::Gemini)
    }

    /// Returns true if a provider of the wire format with this name has the API.
    pub(crate) fn is_offered(self, servers: &[Arc<dyn Server>], wire: &str) -> bool {
        servers.iter().any(|server| server.name() == wire && server.embeddings_api() == Some(self.api()))
    }

    /// Returns the API whose formats write the errors of such a request.
    pub(crate) fn api(self) -> EmbeddingsApi {
        match self {
            Self::OpenAi => EmbeddingsApi::OpenAi,
            Self::Gemini(_) => EmbeddingsApi::Gemini,
        }
    }

    /// Returns the model of a request.
    ///
    /// # Errors
    /// The body is not JSON, or names no model, one model twice or another model than the path.
    pub(crate) fn outline(self, request: &ClientRequest) -> Result<Outline, ProviderError> {
        let model = match self {
            Self::OpenAi => read::<OpenAiBody<'_>>(&request.body)?.model.into_owned(),
            Self::Gemini(_) => {
                let model = path_model(request).to_owned();
                // Such a name would leave the folder of models at the provider.
                let leaves = |segment: &str| matches!(segment, "" | "." | "..") || segment.contains('%');
                if model.split('/').any(leaves) {
                    return Err(refusal::invalid_request("model: expected a name"));
                }
                let body = read::<GeminiBody<'_>>(&request.body)?;
                let entries = body.requests.iter().filter_map(|entry| entry.model.as_deref());
                let mut names = body.model.as_deref().into_iter().chain(entries);
                if names.any(|name| name.strip_prefix("models/").unwrap_or(name) != model) {
                    return Err(refusal::invalid_request("model: expected the model of the path"));
                }
                model
            }
        };
        if model.is_empty() {
            return Err(refusal::invalid_request("model: expected a name"));
        }
        Ok(Outline::new(model, Framing::Whole))
    }

    /// Returns the path at the provider and the body, with the model's name there.
    pub(crate) fn address(
        self,
        request: &ClientRequest,
        model: &str,
        name: &str,
    ) -> Result<(String, Bytes), ProviderError> {
        let (path, body) = match self {
            Self::OpenAi if name == model => ("/embeddings".to_owned(), request.body.clone()),
            Self::OpenAi => ("/embeddings".to_owned(), rename(&request.body, name)),
            Self::Gemini(method) => {
                let body =
                    if name == model { request.body.clone() } else { rename_gemini(&request.body, name)? };
                (format!("/models/{name}:{method}"), body)
            }
        };
        match query(&request.path) {
            query if query.is_empty() => Ok((path, body)),
            query => Ok((format!("{path}?{query}"), body)),
        }
    }
}

/// The body of OpenAI's API. A second model is an error: which of the two a provider takes is not known.
#[derive(Deserialize)]
struct OpenAiBody<'a> {
    #[serde(borrow)]
    model: Cow<'a, str>,
}

#[derive(Deserialize)]
struct GeminiBody<'a> {
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    requests: Vec<GeminiEntry<'a>>,
}

#[derive(Deserialize)]
struct GeminiEntry<'a> {
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, ProviderError> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    serde_json::from_slice(body).map_err(|error| refusal::invalid_request(error.to_string()))
}

/// Returns the model in a path of Gemini's API.
fn path_model(request: &ClientRequest) -> &str {
    let rest = request.route().rsplit_once("models/").map(|(_, rest)| rest).unwrap_or_default();
    rest.rsplit_once(':').map_or(rest, |(model, _)| model)
}

/// Replaces the names of the model in a body of Gemini's API.
fn rename_gemini(body: &Bytes, name: &str) -> Result<Bytes, ProviderError> {
    let mut value: serde_json::Value = read(body)?;
    let name = serde_json::Value::from(format!("models/{name}"));
    let entries = value.get_mut("requests").and_then(|entries| entries.as_array_mut());
    for entry in entries.into_iter().flatten() {
        if let Some(model) = entry.get_mut("model") {
            model.clone_from(&name);
        }
    }
    if let Some(model) = value.get_mut("model") {
        *model = name;
    }
    Ok(value.to_string().into())
}
