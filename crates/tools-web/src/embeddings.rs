//! `Embeddings`: an endpoint that turns texts into vectors, as OpenAI's does.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use windlass_protocol::Effect;
use windlass_tool::ToolError;

use crate::service::Service;
use crate::vectors::vectors;
use crate::{Fetch, ServiceKey, UrlRefusal, WebUrl};

/// The most texts of one request.
const MAX_TEXTS: usize = 256;
/// The most bytes of all texts of one request.
const MAX_TEXT_BYTES: usize = 1_000_000;
/// The most of an answer: 256 vectors of 3,072 numbers, written out, are 16 MB.
const MAX_ANSWER: usize = 20_000_000;
/// Somebody waits for the search behind it.
const TOTAL: Duration = Duration::from_secs(20);

/// Who turns texts into vectors: an endpoint that takes `POST {base}/embeddings` as OpenAI's, and a model.
///
/// The host is asked through the same checks as a page of [`Fetch`]: one that is not public has to be named with
/// [`Fetch::with_reachable`]. What it answers is believed only as far as it fits what was asked: as many vectors as
/// texts, all of one length, of finite numbers.
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

/// How the vectors are asked for. Either form is read, whatever was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the API has these two")]
pub enum VectorForm {
    /// Numbers in JSON, which every server knows.
    #[default]
    Numbers,
    /// Little-endian 32 bit floats in base64: a third of the bytes.
    Base64,
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingsError {
    /// Too much for one request; nothing was sent.
    #[error("{texts} texts of {bytes} bytes are too much for one request")]
    TooMuch {
        /// How many texts.
        texts: usize,
        /// How long they are together.
        bytes: usize,
    },
    /// It could not be asked, or refused.
    #[error(transparent)]
    Asked(#[from] ToolError),
    /// What came is not what the API says.
    #[error("it answered with something that is no list of vectors")]
    Garbled,
    /// Texts are without a vector, or vectors without a text.
    #[error("it gave {given} vectors for {asked} texts")]
    Count {
        /// How many texts there were.
        asked: usize,
        /// How many vectors came.
        given: usize,
    },
    /// A vector has not the length that was asked for, or that of the others.
    #[error("it gave a vector of {given} numbers in place of {wanted}")]
    Dimensions {
        /// How many there should be.
        wanted: usize,
        /// How many there are.
        given: usize,
    },
    /// A number is infinite or none.
    #[error("it gave a vector with a number that is not finite")]
    NotFinite,
}

impl Embeddings {
    /// An endpoint by its base URL, as `https://api.openai.com/v1`, and the model that it is asked for.
    ///
    /// # Errors
    /// If that is no address of the web.
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

    /// The same with shorter vectors, for models that can be asked for them. Others are refused.
    pub fn with_dimensions(mut self, dimensions: usize) -> Self {
        self.dimensions = Some(dimensions);
        self
    }

    /// The same with the vectors asked for in another form.
    pub fn with_form(mut self, form: VectorForm) -> Self {
        self.form = form;
        self
    }

    /// The model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The host that texts are sent to.
    pub fn host(&self) -> &str {
        self.service.host()
    }

    /// What tells vectors that can be compared: those of one address, model and length.
    pub fn space(&self) -> String {
        let length = self.dimensions.map_or_else(|| "own".to_owned(), |dimensions| dimensions.to_string());
        format!("{}\n{}\n{length}", self.service.base(), self.model)
    }

    /// What asking it touches.
    pub fn effect(&self) -> Effect {
        self.service.effect()
    }

    /// The vectors of some texts, in their order, by one request. Cancel-safe: a dropped future closes its connection.
    ///
    /// # Errors
    /// If nothing came, or not just one usable vector for each text.
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
