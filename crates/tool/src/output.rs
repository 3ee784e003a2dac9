//! What a tool gives back.

use windlass_protocol::{Content, Image, ResultStatus};

/// What a tool gives back when it ran.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Output {
    /// How it ended: usually ok; a command that ran out of time has output and is not ok.
    pub status: ResultStatus,
    /// What the model is told.
    pub content: Vec<Content>,
    /// Whether somebody else wrote it, whatever the call's effects say.
    pub is_external: bool,
}

impl Output {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::from(vec![Content::text(text)])
    }

    /// The same output with a picture behind it.
    pub fn with_image(mut self, image: Image) -> Self {
        self.content.push(Content::Image(image));
        self
    }

    /// The same output under another status.
    pub fn with_status(mut self, status: ResultStatus) -> Self {
        self.status = status;
        self
    }

    /// The same output, which somebody else wrote: its result is marked so.
    pub fn external(mut self) -> Self {
        self.is_external = true;
        self
    }

    /// Its words, without pictures.
    pub fn words(&self) -> String {
        let words = self.content.iter().map(|content| match content {
            Content::Text { text } => text.as_str(),
            _ => "",
        });
        words.collect()
    }
}

impl From<Vec<Content>> for Output {
    fn from(content: Vec<Content>) -> Self {
        Self { status: ResultStatus::Ok, content, is_external: false }
    }
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Output {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// A structured value, as JSON text.
impl From<serde_json::Value> for Output {
    fn from(value: serde_json::Value) -> Self {
        Self::text(value.to_string())
    }
}

/// A tool that has nothing to say has done what it was asked; a result is never empty (RULES P6).
impl From<()> for Output {
    fn from((): ()) -> Self {
        Self::text("done")
    }
}
