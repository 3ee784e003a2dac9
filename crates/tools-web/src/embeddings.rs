//! `Embeddings`: a client of an OpenAI-compatible embeddings endpoint.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use windlass_protocol::Effect;
use windlass_tool::ToolError;

use crate::service::Service;
use crate::vectors::vectors;
use crate::{Fetch, ServiceKey, UrlRefusal, WebUrl};

/// Maximum number of texts in one request.
const MAX_TEXTS: usize = 256;
/// Maximum total size of the texts in one request, in bytes.
const MAX_TEXT_BYTES: usize = 1_000_000;
/// Maximum size of a response: 256 vectors of 3,072 numbers in JSON are 16 MB.
const MAX_ANSWER: usize = 20_000_000;
/// Maximum duration of a request. A user waits for the search that needs it.
const TOTAL: Duration = Duration::from_secs(20);

/// Embeddings endpoint that accepts `POST {base}/embeddings` as OpenAI's does, with a model.
///
/// Requests pass the same checks as a page of [`Fetch`]: a host that is not public must be named with
/// [`Fetch::with_reachable`]. A response must match the request: one vector for each text, all of the same
/// length, with finite numbers.
///
/// ```
/// use std::sync::Arc;
/// use windlass_tools_web::{Embeddings, Fetch, ServiceKey};
///
/// let fetch = Fetch::new().with_reachable("localhost", 11434)?;
/// let base = "http://localhost:11434/v1";
/// let embeddings = Embeddings::new(Arc::new(fetch), base, "nomic-embed-text", ServiceKey::NotNeeded)?
///     .with_dimensions(256);
/// assert_eq!(embeddings.host(), "localhost");
/// # Ok::<(), windlass_tools_web::UrlRefusal>(())
/// ```
#[derive(Clone, Debug)]
pub struct Embeddings {
    service: Service,
    model: String,
    dimensions: Option<usize>,
    form: VectorForm,
}

/// Requested encoding of the vectors. Responses in either form are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the API has these two")]
pub enum VectorForm {
    /// JSON numbers, which every server supports.
    #[default]
    Numbers,
    /// Base64 of little-endian 32-bit floats, which takes a third of the bytes.
    Base64,
}

/// Error of [`Embeddings::embed`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingsError {
    /// The texts are too many or too long for one request; nothing was sent.
    #[error("{texts} texts of {bytes} bytes are too much for one request")]
    TooMuch {
        /// Number of texts.
        texts: usize,
        /// Total size in bytes.
        bytes: usize,
    },
    /// The request failed or was refused.
    #[error(transparent)]
    Asked(#[from] ToolError),
    /// The response does not have the API's format.
    #[error("the answer is not a list of vectors")]
    Garbled,
    /// The number of vectors differs from the number of texts.
    #[error("the answer has {given} vectors for {asked} texts")]
    Count {
        /// Number of texts.
        asked: usize,
        /// Number of vectors.
        given: usize,
    },
    /// A vector does not have the requested length, or differs in length from the first.
    #[error("it gave a vector of {given} numbers in place of {wanted}")]
    Dimensions {
        /// Expected number of dimensions.
        wanted: usize,
        /// Actual number of dimensions.
        given: usize,
    },
    /// A number in a vector is infinite or NaN.
    #[error("it gave a vector with a number that is not finite")]
    NotFinite,
}

impl Embeddings {
    /// Creates a client for a base URL, such as `https://api.openai.com/v1`, and a model.
    ///
    /// # Errors
    /// If the base is not a valid web URL.
    pub fn new(
        fetch: Arc<Fetch>,
        base: &str,
        model: impl Into<String>,
        key: ServiceKey,
    ) -> Result<Self, UrlRefusal> {
        let mut service = Service::new(fetch, "the embeddings endpoint", WebUrl::parse(base)?, key);
        service.limits.total = service.limits.total.min(TOTAL);
        service.limits.wire_bytes = MAX_ANSWER;
        service.limits.decoded_bytes = MAX_ANSWER;
        Ok(Self { service, model: model.into(), dimensions: None, form: VectorForm::default() })
    }

    /// Requests vectors of this length, for models that support it. Vectors of another length are refused.
    pub fn with_dimensions(mut self, dimensions: usize) -> Self {
        self.dimensions = Some(dimensions);
        self
    }

    /// Sets the requested encoding of the vectors.
    pub fn with_form(mut self, form: VectorForm) -> Self {
        self.form = form;
        self
    }

    /// Returns the name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the host that receives the texts.
    pub fn host(&self) -> &str {
        self.service.host()
    }

    /// Returns a key for comparable vectors: those with the same endpoint, model and length.
    pub fn space(&self) -> String {
        let length = self.dimensions.map_or_else(|| "own".to_owned(), |dimensions| dimensions.to_string());
        format!("{}\n{}\n{length}", self.service.base(), self.model)
    }

    /// Returns the effect of a request, for policy.
    pub fn effect(&self) -> Effect {
        self.service.effect()
    }

    /// Returns the vectors of texts, in their order, with one request. Cancel-safe: dropping the future
    /// closes the connection.
    ///
    /// # Errors
    /// If the request fails, or the response does not have exactly one valid vector for each text.
    pub async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingsError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = texts.iter().map(|text| text.len()).fold(0, usize::saturating_add);
        if texts.len() > MAX_TEXTS || bytes > MAX_TEXT_BYTES {
            return Err(EmbeddingsError::TooMuch { texts: texts.len(), bytes });
        }
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(self.model));
        body.insert("input".to_owned(), json!(texts));
        body.insert("encoding_format".to_owned(), json!(self.form.word()));
        if let Some(dimensions) = self.dimensions {
            body.insert("dimensions".to_owned(), json!(dimensions));
        }
        let answer = self.service.post_bytes("embeddings", &Value::Object(body)).await?;
        vectors(&answer, texts.len(), self.dimensions)
    }
}

impl VectorForm {
    fn word(self) -> &'static str {
        match self {
            Self::Numbers => "float",
            Self::Base64 => "base64",
        }
    }
}
