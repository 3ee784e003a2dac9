//! The parts of a message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Citation, ToolCall, ToolResult};

/// One part of a message. Parts are kept in the order in which they were written (RULES P4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(Text),
    /// A picture.
    Image(Image),
    /// A document: a PDF, a text, a recording.
    File(File),
    /// The model's reasoning before its answer.
    Reasoning(Reasoning),
    /// A call of the assistant.
    Call(ToolCall),
    /// The result of a call.
    Result(ToolResult),
    /// A part of one provider without a neutral representation, stored unchanged (RULES P3).
    Unknown(Unknown),
}

impl From<Image> for Part {
    fn from(image: Image) -> Self {
        Self::Image(image)
    }
}

impl From<File> for Part {
    fn from(file: File) -> Self {
        Self::File(file)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// Text with the provider's opaque fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Text {
    /// The text.
    pub text: String,
    /// The sources that the provider names for the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// Fields of the provider that are sent back with this part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// The model's reasoning, as far as the provider reveals it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reasoning {
    /// The text; empty if the provider only sends a signature or encrypted reasoning.
    #[serde(default)]
    pub text: String,
    /// Signatures and encrypted reasoning, which must be sent back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Image {
    /// The media type, such as `image/png`.
    pub media_type: String,
    /// The location of the bytes.
    pub source: ImageSource,
    /// Fields of the provider that are sent back with this part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// The location of a picture's bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImageSource {
    /// Inline, as standard base64.
    Base64(String),
    /// A URL that the provider fetches.
    Url(String),
}

/// A document that the model reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct File {
    /// The media type, such as `application/pdf`.
    pub media_type: String,
    /// The file name, which some providers show to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The location of the bytes.
    pub source: FileSource,
    /// Fields of the provider that are sent back with this part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// The location of a document's bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileSource {
    /// Inline, as standard base64.
    Base64(String),
    /// A URL that the provider fetches.
    Url(String),
    /// An upload at the provider, by the id that the provider returned.
    Id(String),
}

/// Fields of one wire format that belong to a part and are sent back unchanged, and only to that format
/// (RULES P2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Opaque {
    /// The name of the wire format, such as `anthropic`.
    pub wire: String,
    /// The fields as JSON.
    pub value: Value,
}

/// An event or a part of one wire format without a neutral representation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Unknown {
    /// The name of the wire format.
    pub wire: String,
    /// The original JSON.
    pub value: Value,
}

impl Part {
    /// Creates a text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text::new(text))
    }

    /// Creates a part from an upload at the provider, by the id that the provider returned, or its URI at Gemini.
    ///
    /// ```
    /// use windlass_protocol::{Message, Part};
    /// let message = Message::user("summarise").with_part(Part::provider_file("file-1", "application/pdf"));
    /// assert_eq!(message.parts.len(), 2);
    /// ```
    pub fn provider_file(id: impl Into<String>, media_type: impl Into<String>) -> Self {
        Self::File(File::from_upload(media_type, id))
    }

    /// Returns the opaque fields of the part, or the JSON of an unknown part, if they belong to this wire format.
    ///
    /// ```
    /// use windlass_protocol::{Opaque, Part, Text};
    /// let fields = Opaque::new("anthropic", serde_json::json!({ "block": {} }));
    /// let part = Part::Text(Text::new("hi").with_opaque(Some(fields)));
    /// assert!(part.for_wire("anthropic").is_some());
    /// assert!(part.for_wire("gemini").is_none());
    /// ```
    pub fn for_wire(&self, wire: &str) -> Option<&Value> {
        let opaque = match self {
            Self::Text(text) => text.opaque.as_ref(),
            Self::Image(image) => image.opaque.as_ref(),
            Self::File(file) => file.opaque.as_ref(),
            Self::Reasoning(reasoning) => reasoning.opaque.as_ref(),
            Self::Call(call) => call.opaque.as_ref(),
            Self::Result(result) => result.opaque.as_ref(),
            Self::Unknown(unknown) => return (unknown.wire == wire).then_some(&unknown.value),
        };
        opaque.and_then(|opaque| opaque.for_wire(wire))
    }
}

impl Text {
    /// Creates a text without opaque fields.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), citations: Vec::new(), opaque: None }
    }

    /// Sets the provider's fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }
}

impl Text {
    /// Sets the sources.
    pub fn with_citations(mut self, citations: Vec<Citation>) -> Self {
        self.citations = citations;
        self
    }

    /// Returns the passage that a citation supports: the range of the citation, or the whole text.
    pub fn passage(&self, citation: &Citation) -> &str {
        let passage = citation.range.clone().and_then(|range| self.text.get(range));
        passage.unwrap_or(&self.text)
    }
}

impl Reasoning {
    /// Creates reasoning with the provider's opaque fields.
    pub fn new(text: impl Into<String>, opaque: Option<Opaque>) -> Self {
        Self { text: text.into(), opaque }
    }
}

impl Image {
    /// Creates an inline picture from standard base64.
    pub fn base64(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), source: ImageSource::Base64(data.into()), opaque: None }
    }

    /// Creates a picture from a URL.
    pub fn url(media_type: impl Into<String>, url: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), source: ImageSource::Url(url.into()), opaque: None }
    }

    /// Sets the provider's fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }
}

impl File {
    /// Creates an inline document from standard base64.
    pub fn base64(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self::new(media_type.into(), FileSource::Base64(data.into()))
    }

    /// Creates a document from a URL.
    pub fn url(media_type: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(media_type.into(), FileSource::Url(url.into()))
    }

    /// Creates a document from the id of an earlier upload.
    pub fn from_upload(media_type: impl Into<String>, id: impl Into<String>) -> Self {
        Self::new(media_type.into(), FileSource::Id(id.into()))
    }

    fn new(media_type: String, source: FileSource) -> Self {
        Self { media_type, name: None, source, opaque: None }
    }

    /// Sets the provider's fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }

    /// Sets the file name.
    pub fn with_name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }
}

impl Opaque {
    /// Creates the fields of one wire format.
    pub fn new(wire: impl Into<String>, value: Value) -> Self {
        Self { wire: wire.into(), value }
    }

    /// Returns the fields if they belong to this wire format.
    pub fn for_wire(&self, wire: &str) -> Option<&Value> {
        (self.wire == wire).then_some(&self.value)
    }
}

impl Unknown {
    /// Creates an event or a part of one wire format.
    pub fn new(wire: impl Into<String>, value: Value) -> Self {
        Self { wire: wire.into(), value }
    }
}
