//! Validation of picture files before a provider decodes them.
//!
//! A provider refuses a request with a damaged or too large picture, and then every later request of the
//! conversation, which repeats it. So a picture's structure is checked from its header to its end. Pixels are
//! not decoded.

mod walk;

use std::fmt;

/// Maximum size of a picture for a model, in bytes: providers refuse larger ones.
pub const MAX_PICTURE_BYTES: usize = 5 * 1024 * 1024;
/// Maximum side of a picture for a model, in pixels.
pub const MAX_PICTURE_SIDE: u32 = 8_000;
/// Maximum total size of the pictures of one call, in bytes. Providers limit requests to 20 to 32 MB,
/// including base64 encoding.
pub const MAX_PICTURES_BYTES: usize = 10 * 1024 * 1024;

/// Picture format that models accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// Graphics Interchange Format; models see the first image only.
    Gif,
    /// WebP.
    Webp,
}

/// A complete picture within the limits.
///
/// ```
/// use windlass_text::{Picture, PictureError, PictureFormat};
/// let cut = b"\x89PNG\r\n\x1a\nnot a picture";
/// assert_eq!(PictureFormat::detect(cut), Some(PictureFormat::Png));
/// assert_eq!(Picture::read(cut), Err(PictureError::Broken(PictureFormat::Png)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// Format of the file.
    pub format: PictureFormat,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// Error of [`Picture::read`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The file does not start like any supported format.
    #[error("not a PNG, JPEG, GIF or WebP picture")]
    Other,
    /// The header or a later part is damaged or missing.
    #[error("begins like a picture ({0}) and cannot be read as one; it is cut or damaged")]
    Broken(PictureFormat),
    /// The file is longer than [`MAX_PICTURE_BYTES`], or a side is zero or longer than [`MAX_PICTURE_SIDE`].
    #[error(
        "is a picture of {width}x{height} and {len} bytes; at most {MAX_PICTURE_SIDE}x{MAX_PICTURE_SIDE} and {MAX_PICTURE_BYTES} bytes can be shown"
    )]
    TooLarge {
        /// Width in pixels; zero if the header could not be read.
        width: u32,
        /// Height in pixels; zero if the header could not be read.
        height: u32,
        /// Size of the file in bytes.
        len: usize,
    },
}

impl PictureFormat {
    /// Returns the format that the first bytes of a file indicate.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// Returns the media type, such as `image/png`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

impl fmt::Display for PictureFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.media_type())
    }
}

impl Picture {
    /// Checks the structure of a picture file from its header to its end. Takes time linear in its length.
    ///
    /// # Errors
    /// If the file is not a complete picture, or larger than providers accept.
    pub fn read(bytes: &[u8]) -> Result<Self, PictureError> {
        let format = PictureFormat::detect(bytes).ok_or(PictureError::Other)?;
        let mut size = None;
        let walked = match format {
            PictureFormat::Png => walk::png(bytes, &mut size),
            PictureFormat::Jpeg => walk::jpeg(bytes, &mut size),
            PictureFormat::Gif => walk::gif(bytes, &mut size),
            PictureFormat::Webp => walk::webp(bytes, &mut size),
        };
        // Check the size first: a caller can make a picture smaller, but cannot repair it.
        let sides = 1..=MAX_PICTURE_SIDE;
        let fits = size.is_none_or(|(width, height)| sides.contains(&width) && sides.contains(&height));
        if !fits || bytes.len() > MAX_PICTURE_BYTES {
            let (width, height) = size.unwrap_or_default();
            return Err(PictureError::TooLarge { width, height, len: bytes.len() });
        }
        let (width, height) = walked.and(size).ok_or(PictureError::Broken(format))?;
        Ok(Self { format, width, height })
    }
}

#[cfg(test)]
mod tests;
