//! `Tavily`: a search service, implemented from its public documentation.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_redact::Redactor;
use windlass_tool::ToolError;

use crate::service::{Service, line};
use crate::{Fetch, ServiceKey, UrlRefusal, WebUrl};

const BASE: &str = "https://api.tavily.com";
/// Maximum length of a query that the service accepts.
const MAX_QUERY_CHARS: usize = 400;
/// Maximum size of a response after decompression: ten times the maximum that is shown.
const MAX_DECODED: usize = 8_000_000;
/// Maximum lengths of the fields of a source, and maximum number of sources.
const MAX_TITLE: usize = 200;
const MAX_URL: usize = 2_000;
const MAX_DATE: usize = 40;
pub(crate) const MAX_SOURCES: usize = 20;

/// The search service Tavily, or a compatible service, with its key.
///
/// Requests pass the same checks as a page of [`Fetch`]: a base URL that is not public must be named with
/// [`Fetch::with_reachable`]. Redirects are not followed, and the key is not sent to any other host.
///
/// ```
/// use std::sync::Arc;
/// use windlass_tools_web::{Fetch, ServiceKey, Tavily, search_tools};
///
/// let key = ServiceKey::from_variable(std::env::var("TAVILY_API_KEY").ok(), "TAVILY_API_KEY");
/// let tools = search_tools(&Tavily::new(Arc::new(Fetch::new()), key));
/// assert_eq!(tools.len(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Tavily {
    pub(crate) service: Service,
}

/// Topic of a search.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Topic {
    General,
    News,
    Finance,
}

/// Maximum age of results.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TimeRange {
    Day,
    Week,
    Month,
    Year,
}

/// Effort of a search.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Depth {
    #[default]
    Basic,
    Advanced,
}

/// A source in the results of a search or an extraction.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FoundSource {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) date: Option<String>,
    pub(crate) text: String,
}

impl Tavily {
    /// Creates the service at its public URL.
    pub fn new(fetch: Arc<Fetch>, key: ServiceKey) -> Self {
        let mut service = Service::new(fetch, "Tavily", own_address(), key);
        service.limits.decoded_bytes = service.limits.decoded_bytes.min(MAX_DECODED);
        Self { service }
    }

    /// Sets another base URL.
    ///
    /// # Errors
    /// If the base is not a valid web URL.
    pub fn with_base(mut self, base: &str) -> Result<Self, UrlRefusal> {
        self.service = self.service.with_base(base)?;
        Ok(self)
    }

    pub(crate) async fn post(&self, path: &str, body: &Map<String, Value>) -> Result<Value, ToolError> {
        self.service.post(path, &Value::Object(body.clone())).await
    }
}

impl Topic {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::News => "news",
            Self::Finance => "finance",
        }
    }
}

impl TimeRange {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

impl Depth {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Advanced => "advanced",
        }
    }
}

fn own_address() -> WebUrl {
    WebUrl::parse(BASE).expect("the address is a constant that a test reads")
}

/// Returns the body of a search request, or an error for an invalid query.
pub(crate) fn search(query: &str, redactor: &Redactor) -> Result<Map<String, Value>, ToolError> {
    let chars = query.chars().count();
    if query.trim().is_empty() || chars > MAX_QUERY_CHARS {
        return Err(ToolError::model(format!(
            "the query has {chars} characters, 1 to {MAX_QUERY_CHARS} are allowed, and nothing was sent"
        ))
        .with_advice("A few words are enough."));
    }
    if redactor.contains_secret(query) {
        let text = "the query holds a secret that is known here, and nothing was sent";
        return Err(ToolError::model(text).with_advice("Ask without it."));
    }
    let mut body = Map::new();
    body.insert("query".to_owned(), json!(query));
    Ok(body)
}

/// Parses the sources in a response and cuts each field to its maximum length. Skips results without a URL.
pub(crate) fn parse_sources(value: &Value, text_key: &str, max_text: usize) -> Vec<FoundSource> {
    let results = value.get("results").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let of = |result: &Value| {
        let text = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or_default();
        let url = line(text("url"), MAX_URL);
        if url.is_empty() {
            return None;
        }
        let (title, date) = (line(text("title"), MAX_TITLE), line(text("published_date"), MAX_DATE));
        let (body, left_out) = cut(text(text_key), max_text);
        let mut text = body.to_owned();
        if left_out > 0 {
            let _ = write!(text, " […{left_out} bytes more]");
        }
        Some(FoundSource { title, url, date: (!date.is_empty()).then_some(date), text })
    };
    results.iter().filter_map(of).take(MAX_SOURCES).collect()
}

/// Returns the start of a text and the number of bytes that were cut.
pub(crate) fn cut(text: &str, max: usize) -> (&str, usize) {
    let head = text.get(..text.floor_char_boundary(max)).unwrap_or_default();
    (head, text.len().saturating_sub(head.len()))
}
