//! The task of a run: words, pictures and files.

use std::path::Path;

use windlass_attachments::{AttachmentError, AttachmentReader};
use windlass_protocol::{Message, Part};

use crate::error::{Result, ensure};

/// Maximum number of parts after the text.
const MAX_PARTS: usize = 50;

/// Task of a run: a text for the model, and parts such as pictures and files.
///
/// The `attach_*` methods block: they read files and decode pictures. They accept what the crate `windlass-attachments`
/// accepts, within its limits.
///
/// ```
/// use windlass_app::Task;
///
/// let task = Task::new("Why does this fail?").attach_bytes(b"error: no rule".to_vec(), "build.log")?;
/// assert_eq!(task.parts.len(), 1);
/// # Ok::<(), windlass_app::AppError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// The task in words.
    pub text: String,
    /// The parts after the text.
    pub parts: Vec<Part>,
}

impl Task {
    /// Creates a task in words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), parts: Vec::new() }
    }

    /// Adds parts that exist already.
    pub fn with_parts(mut self, parts: impl IntoIterator<Item = Part>) -> Self {
        self.parts.extend(parts);
        self
    }

    /// Adds a file: a picture, a document, or a text with its name.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, has an unknown type or exceeds a limit.
    pub fn attach_file(self, path: impl AsRef<Path>) -> Result<Self> {
        self.attach(|reader| reader.read_file(path))
    }

    /// Adds a picture.
    ///
    /// # Errors
    ///
    /// Fails like [`attach_file`](Self::attach_file), and if the file is not a picture.
    pub fn attach_image(self, path: impl AsRef<Path>) -> Result<Self> {
        self.attach(|reader| reader.read_image(path).map(Part::Image))
    }

    /// Adds the content of a file with its name.
    ///
    /// # Errors
    ///
    /// Fails if the content has an unknown type or exceeds a limit.
    pub fn attach_bytes(self, bytes: Vec<u8>, name: &str) -> Result<Self> {
        self.attach(|reader| reader.read_file_bytes(bytes, name))
    }

    fn attach(
        mut self,
        read: impl FnOnce(&AttachmentReader) -> Result<Part, AttachmentError>,
    ) -> Result<Self> {
        ensure!(self.parts.len() < MAX_PARTS, Invalid, "a task has at most {MAX_PARTS} files");
        self.parts.push(read(&AttachmentReader::new())?);
        Ok(self)
    }
}

impl From<&str> for Task {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Task {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Task {
    fn from(text: &String) -> Self {
        Self::new(text.as_str())
    }
}

/// Returns the message with a task.
pub(crate) fn to_message(text: String, parts: Vec<Part>) -> Message {
    let mut message = Message::user(text);
    message.parts.extend(parts);
    message
}
