//! Sources of a text.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A source that the provider names for a text of the answer.
///
/// The citation is for readers. The provider's original is kept among the opaque fields of the text, if the provider
/// takes it back.
///
/// ```
/// use windlass_protocol::{Citation, CitationSource, Text};
/// let url = CitationSource::Url("https://doc.rust-lang.org".into());
/// let citation = Citation::new(url).with_title(Some("Docs".into())).with_range(Some(0..7));
/// let text = Text::new("Rust is 2015's.").with_citations(vec![citation]);
/// assert_eq!(text.passage(&text.citations[0]), "Rust is");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Citation {
    /// The source.
    pub source: CitationSource,
    /// The title of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The quoted text of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The bytes of the answer's text that the source supports; `None` for the whole text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range<usize>>,
}

/// The source of a citation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CitationSource {
    /// A page.
    Url(String),
    /// A document: the id of an upload, or the position of a document in the request as the provider counts.
    Document(String),
}

impl Citation {
    /// Creates a citation of the whole text.
    pub fn new(source: CitationSource) -> Self {
        Self { source, title: None, quote: None, range: None }
    }

    /// Sets the title of the source.
    pub fn with_title(mut self, title: Option<String>) -> Self {
        self.title = title;
        self
    }

    /// Sets the quoted text of the source.
    pub fn with_quote(mut self, quote: Option<String>) -> Self {
        self.quote = quote;
        self
    }

    /// Sets the range of the answer's text.
    pub fn with_range(mut self, range: Option<Range<usize>>) -> Self {
        self.range = range;
        self
    }
}
