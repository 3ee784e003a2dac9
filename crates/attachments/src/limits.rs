//! Limits of size and memory.

/// Limits of an [`AttachmentReader`](crate::AttachmentReader).
///
/// A picture needs at most about `image_bytes + decode_memory` of memory, and 130 MB for an intermediate picture of the
/// default `image_side`.
///
/// ```
/// use windlass_attachments::AttachmentLimits;
/// let limits = AttachmentLimits { image_side: 1_024, ..AttachmentLimits::default() };
/// assert_eq!(limits.file_bytes, 30 * 1024 * 1024);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..AttachmentLimits::default()`")]
pub struct AttachmentLimits {
    /// Largest file, in bytes. Pages of a document are not counted.
    pub file_bytes: u64,
    /// Largest file of a picture before it is resized, in bytes.
    pub image_bytes: u64,
    /// Largest text file, in bytes.
    pub text_bytes: u64,
    /// Largest number of pixels of a picture before it is resized.
    pub image_pixels: u64,
    /// Longest side of a picture in a message, in pixels. Larger pictures are resized.
    pub image_side: u32,
    /// Largest picture in a message, in bytes before base64. Larger pictures are encoded again and reduced.
    pub encoded_image_bytes: usize,
    /// Largest size of a decoded picture in memory, in bytes. A progressive JPEG counts three times, because its decoder
    /// holds all coefficients.
    pub decode_memory: u64,
}

impl Default for AttachmentLimits {
    fn default() -> Self {
        Self {
            file_bytes: 30 * 1024 * 1024,
            image_bytes: 20 * 1024 * 1024,
            text_bytes: 1024 * 1024,
            image_pixels: 120_000_000,
            // Anthropic accepts 2,000 pixels in requests with many pictures, and 8,000 otherwise.
            image_side: 2_000,
            // Anthropic accepts 5 MB for each picture, and counts base64.
            encoded_image_bytes: 3_750_000,
            decode_memory: 512 * 1024 * 1024,
        }
    }
}
