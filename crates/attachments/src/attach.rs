//! Attachments of a message.

use std::path::Path;

use windlass_protocol::Message;

use crate::{AttachmentError, AttachmentReader};

/// Methods of a message that append attachments, with the default limits.
///
/// ```
/// use windlass_attachments::Attach;
/// use windlass_protocol::Message;
///
/// let message = Message::user("Summarise both.")
///     .attach_bytes(b"a = 1".to_vec(), "config.toml")?
///     .attach_url("https://example.com/report.pdf")?;
/// assert_eq!(message.parts.len(), 3);
/// # Ok::<(), windlass_attachments::AttachmentError>(())
/// ```
pub trait Attach: Sized {
    /// Reads a file and appends it: see [`AttachmentReader::read_file`]. Blocks the thread.
    ///
    /// # Errors
    /// Like [`AttachmentReader::read_file`].
    fn attach(self, path: impl AsRef<Path>) -> Result<Self, AttachmentError>;

    /// Appends the bytes of a file: see [`AttachmentReader::read_file_bytes`]. Blocks the thread.
    ///
    /// # Errors
    /// Like [`AttachmentReader::read_file_bytes`].
    fn attach_bytes(self, bytes: impl Into<Vec<u8>>, name: &str) -> Result<Self, AttachmentError>;

    /// Appends an address that the provider fetches: see [`AttachmentReader::read_url`].
    ///
    /// # Errors
    /// Like [`AttachmentReader::read_url`].
    fn attach_url(self, url: &str) -> Result<Self, AttachmentError>;
}

impl Attach for Message {
    fn attach(self, path: impl AsRef<Path>) -> Result<Self, AttachmentError> {
        Ok(self.with_part(AttachmentReader::new().read_file(path)?))
    }

    fn attach_bytes(self, bytes: impl Into<Vec<u8>>, name: &str) -> Result<Self, AttachmentError> {
        Ok(self.with_part(AttachmentReader::new().read_file_bytes(bytes.into(), name)?))
    }

    fn attach_url(self, url: &str) -> Result<Self, AttachmentError> {
        Ok(self.with_part(AttachmentReader::new().read_url(url)?))
    }
}
