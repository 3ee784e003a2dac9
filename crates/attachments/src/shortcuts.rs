//! Functions for one attachment with the default limits.

use std::path::Path;

use windlass_protocol::{Image, Part};

use crate::{AttachmentError, AttachmentReader};

/// Reads a file into a part with the default limits: see [`AttachmentReader::read_file`]. Blocks the thread.
///
/// # Errors
/// Like [`AttachmentReader::read_file`].
pub fn file(path: impl AsRef<Path>) -> Result<Part, AttachmentError> {
    AttachmentReader::new().read_file(path)
}

/// Converts the bytes of a file into a part: see [`AttachmentReader::read_file_bytes`]. Blocks the thread.
///
/// # Errors
/// Like [`AttachmentReader::read_file_bytes`].
pub fn file_bytes(bytes: impl Into<Vec<u8>>, name: &str) -> Result<Part, AttachmentError> {
    AttachmentReader::new().read_file_bytes(bytes.into(), name)
}

/// Reads a picture with the default limits: see [`AttachmentReader::read_image`]. Blocks the thread.
///
/// # Errors
/// Like [`AttachmentReader::read_image`].
pub fn image(path: impl AsRef<Path>) -> Result<Image, AttachmentError> {
    AttachmentReader::new().read_image(path)
}

/// Converts the bytes of a picture: see [`AttachmentReader::read_image_bytes`]. Blocks the thread.
///
/// # Errors
/// Like [`AttachmentReader::read_image_bytes`].
pub fn image_bytes(bytes: impl Into<Vec<u8>>, name: &str) -> Result<Image, AttachmentError> {
    AttachmentReader::new().read_image_bytes(bytes.into(), name)
}

/// Returns the part of an address that the provider fetches: see [`AttachmentReader::read_url`].
///
/// # Errors
/// Like [`AttachmentReader::read_url`].
pub fn url(url: &str) -> Result<Part, AttachmentError> {
    AttachmentReader::new().read_url(url)
}
