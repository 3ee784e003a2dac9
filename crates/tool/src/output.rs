//! The output of a tool.

use serde::Serialize;
use windlass_protocol::{Content, ErrorText, Image, ResultStatus};

use crate::ToolError;

/// The output of a completed call: the content for the model, and the facts that the agent needs about it.
///
/// Texts, strings and values with [`json`](Self::json) become an output. A call that ran and did not succeed, such as a
/// command with an exit code, has an output with another status. A call that could not run returns a [`ToolError`].
///
/// ```
/// use windlass_protocol::ResultStatus;
/// use windlass_tool::Output;
///
/// let output = Output::text("2 of 40 tests failed")
///     .with_status(ResultStatus::Error)
///     .with_advice("Read the log of the first failure.".to_owned());
/// assert_eq!(output.words(), "2 of 40 tests failed");
/// assert!(!output.is_external);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Output {
    /// The status of the result: `Ok` in most cases. A command that timed out has output and another status.
    pub status: ResultStatus,
    /// The content for the model.
    pub content: Vec<Content>,
    /// The next step that is suggested to the model. Interfaces do not display it.
    pub advice: Option<String>,
    /// True if a third party wrote the output, independent of the call's effects.
    pub is_external: bool,
}

impl Output {
    /// Creates an output with one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::from(vec![Content::text(text)])
    }

    /// Creates an output with the JSON text of a value. If the JSON is a string, the text is the string itself,
    /// without quotes.
    ///
    /// ```
    /// use windlass_tool::Output;
    ///
    /// assert_eq!(Output::json(&[1, 2])?.words(), "[1,2]");
    /// assert_eq!(Output::json("ready")?.words(), "ready");
    /// # Ok::<(), windlass_tool::ToolError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`ToolError::Fatal`] if the value has no JSON form, for example a map whose keys are structs: only
    /// the author of the tool can correct the type.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, ToolError> {
        let json = serde_json::to_string(value).map_err(ToolError::fatal)?;
        if json.starts_with('"') {
            return serde_json::from_str::<String>(&json).map(Self::text).map_err(ToolError::fatal);
        }
        Ok(Self::text(json))
    }

    /// Appends an image.
    pub fn with_image(mut self, image: Image) -> Self {
        self.content.push(Content::Image(image));
        self
    }

    /// Sets the status.
    pub fn with_status(mut self, status: ResultStatus) -> Self {
        self.status = status;
        self
    }

    /// Sets the next step that only the model receives.
    pub fn with_advice(mut self, advice: impl Into<Option<String>>) -> Self {
        self.advice = advice.into();
        self
    }

    /// Marks the output as written by a third party. The mark is copied to the result.
    pub fn external(mut self) -> Self {
        self.is_external = true;
        self
    }

    /// Returns the text of the output, without images.
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
        Self { status: ResultStatus::Ok, content, advice: None, is_external: false }
    }
}

/// Converts the text of an error, for an output with another status than `Error`.
impl From<ErrorText> for Output {
    fn from(text: ErrorText) -> Self {
        Self::text(text.problem).with_advice(text.advice)
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

/// Converts a structured value into its JSON text.
impl From<serde_json::Value> for Output {
    fn from(value: serde_json::Value) -> Self {
        Self::text(value.to_string())
    }
}

/// Converts `()` into the text `done`: a tool without output has succeeded, and a result is never empty
/// (RULES P6).
impl From<()> for Output {
    fn from((): ()) -> Self {
        Self::text("done")
    }
}
