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
}

impl Output {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { status: ResultStatus::Ok, content: vec![Content::text(text)] }
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
}

impl From<Vec<Content>> for Output {
    fn from(content: Vec<Content>) -> Self {
        Self { status: ResultStatus::Ok, content }
    }
}
