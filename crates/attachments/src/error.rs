//! Errors of reading attachments.

use std::io;

/// Reason why a file, picture or address cannot become a part of a message. Each message names the file and a remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttachmentError {
    /// An operation on the file failed.
    #[error("`{name}` cannot be read: {source}")]
    Io {
        /// Path of the file.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The path leads to a folder, a pipe or a device.
    #[error("`{name}` is not a regular file; give the path of a file")]
    NotAFile {
        /// The path.
        name: String,
    },
    /// The file has no bytes.
    #[error("`{name}` is empty; leave it out")]
    Empty {
        /// Name of the file.
        name: String,
    },
    /// The file is longer than the limit for its kind.
    #[error(
        "`{name}` is {kind} of {len} bytes, and at most {limit} are read; reduce it, raise the limit in \
         `AttachmentLimits`, or upload it to the provider and send its id"
    )]
    TooLarge {
        /// Name of the file.
        name: String,
        /// Kind of the file with its article: `a file`, `a picture`, `a text`.
        kind: &'static str,
        /// Size of the file in bytes.
        len: u64,
        /// Largest size in bytes.
        limit: u64,
    },
    /// The file is not a picture.
    #[error("`{name}` is not a picture ({media_type}); attach it as a file")]
    NotAnImage {
        /// Name of the file.
        name: String,
        /// Detected media type.
        media_type: String,
    },
    /// The file is a picture in a format that models do not accept.
    #[error(
        "`{name}` is a picture of type {media_type}, which models do not take; convert it to PNG or JPEG"
    )]
    UnsupportedImage {
        /// Name of the file.
        name: String,
        /// Detected media type.
        media_type: String,
    },
    /// The header states more pixels than the limit. The picture was not decoded.
    #[error(
        "`{name}` is a picture of {width}x{height} pixels, and at most {limit} pixels are decoded; reduce it first"
    )]
    TooManyPixels {
        /// Name of the file.
        name: String,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Largest number of pixels.
        limit: u64,
    },
    /// The picture needs more memory than the limit. The picture was not decoded.
    #[error("`{name}` needs more than {limit} bytes of memory as pixels; reduce it first")]
    DecodeMemory {
        /// Name of the file.
        name: String,
        /// Largest number of bytes.
        limit: u64,
    },
    /// The picture is cut, damaged or of an unsupported variant.
    #[error("`{name}` begins like a picture ({media_type}) and cannot be decoded: {reason}; save it again")]
    BrokenImage {
        /// Name of the file.
        name: String,
        /// Media type that the first bytes indicate.
        media_type: &'static str,
        /// Reason of the decoder.
        reason: String,
    },
    /// The resized picture cannot be encoded.
    #[error("`{name}` cannot be encoded in at most {limit} bytes: {reason}; reduce it first")]
    Encode {
        /// Name of the file.
        name: String,
        /// Largest number of bytes.
        limit: usize,
        /// Reason of the encoder.
        reason: String,
    },
    /// The file is neither text nor of a known type.
    #[error(
        "`{name}` is not text, and its type is not known; state the type with `AttachmentReader::with_media_type`"
    )]
    UnknownType {
        /// Name of the file.
        name: String,
    },
    /// The address cannot be sent to a provider.
    #[error("`{url}` cannot be attached: {reason}")]
    Url {
        /// The address, cut to its first 200 characters.
        url: String,
        /// The reason and a remedy.
        reason: &'static str,
    },
}
