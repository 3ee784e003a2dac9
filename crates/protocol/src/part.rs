//! The parts of a message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ToolCall, ToolResult};

/// One part of a message, in the order in which it was written (RULES P4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Words.
    Text(Text),
    /// A picture.
    Image(Image),
    /// A document: a PDF, a text, a recording.
    File(File),
    /// What a model thought before it spoke.
    Reasoning(Reasoning),
    /// A call of the assistant.
    Call(ToolCall),
    /// The result of a call.
    Result(ToolResult),
    /// Something of a provider that has no word here, kept as it came (RULES P3).
    Unknown(Unknown),
}

/// Words, with what the provider wants back with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Text {
    /// The words.
    pub text: String,
    /// Fields of the provider that travel with this part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// What a model thought, as far as the provider shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reasoning {
    /// The words, possibly none where the provider only gives a signature or a cipher.
    #[serde(default)]
    pub text: String,
    /// Signatures and ciphers that must go back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Image {
    /// The media type, as `image/png`.
    pub media_type: String,
    /// Where its bytes are.
    pub source: ImageSource,
    /// Fields of the provider that travel with this part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// Where a picture's bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImageSource {
    /// Here, as standard base64.
    Base64(String),
    /// At an address that the provider fetches.
    Url(String),
}

/// A document that the model reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct File {
    /// The media type, as `application/pdf`.
    pub media_type: String,
    /// Its name, which some providers show to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its bytes are.
    pub source: FileSource,
    /// Fields of the provider that travel with this part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// Where a document's bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileSource {
    /// Here, as standard base64.
    Base64(String),
    /// At an address that the provider fetches.
    Url(String),
    /// With the provider, under the id that it gave on upload.
    Id(String),
}

/// Fields of one wire format that travel with a part and go back unchanged to that format only (RULES P2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Opaque {
    /// The wire format that gave them, as `anthropic`.
    pub wire: String,
    /// The fields.
    pub value: Value,
}

/// An event or a part of one wire format that has no word here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Unknown {
    /// The wire format that gave it.
    pub wire: String,
    /// It, as it came.
    pub value: Value,
}

impl Part {
    /// A part of plain words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text::new(text))
    }
}

impl Text {
    /// Plain words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), opaque: None }
    }

    /// The same words with the provider's own fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }
}

impl Reasoning {
    /// Thoughts, and what the provider wants back with them.
    pub fn new(text: impl Into<String>, opaque: Option<Opaque>) -> Self {
        Self { text: text.into(), opaque }
    }
}

impl Image {
    /// A picture whose bytes are at hand, as standard base64.
    pub fn base64(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), source: ImageSource::Base64(data.into()), opaque: None }
    }

    /// A picture at an address.
    pub fn url(media_type: impl Into<String>, url: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), source: ImageSource::Url(url.into()), opaque: None }
    }

    /// The same picture with the provider's own fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }
}

impl File {
    /// A document whose bytes are at hand, as standard base64.
    pub fn base64(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self::new(media_type.into(), FileSource::Base64(data.into()))
    }

    /// A document at an address.
    pub fn url(media_type: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(media_type.into(), FileSource::Url(url.into()))
    }

    /// A document that was uploaded before.
    pub fn uploaded(media_type: impl Into<String>, id: impl Into<String>) -> Self {
        Self::new(media_type.into(), FileSource::Id(id.into()))
    }

    fn new(media_type: String, source: FileSource) -> Self {
        Self { media_type, name: None, source, opaque: None }
    }

    /// The same document with the provider's own fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }

    /// The same document with a name.
    pub fn with_name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }
}

impl Opaque {
    /// Fields of one wire format.
    pub fn new(wire: impl Into<String>, value: Value) -> Self {
        Self { wire: wire.into(), value }
    }

    /// The fields, if they are of this wire format.
    pub fn of(&self, wire: &str) -> Option<&Value> {
        (self.wire == wire).then_some(&self.value)
    }
}

impl Unknown {
    /// Something of one wire format.
    pub fn new(wire: impl Into<String>, value: Value) -> Self {
        Self { wire: wire.into(), value }
    }
}
