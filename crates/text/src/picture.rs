//! Whether a file is a whole picture that a provider will decode.
//!
//! A provider refuses a request with a broken or too large picture, and with it every later request of the
//! conversation. So a picture is walked from its head to its end before it is handed on. Pixels are not decoded.

mod walk;

use std::fmt;

/// The largest picture that is handed to a model, in bytes: providers refuse larger ones.
pub const MAX_PICTURE_BYTES: usize = 5 * 1024 * 1024;
/// The longest side of a picture that is handed to a model, in pixels.
pub const MAX_PICTURE_SIDE: u32 = 8_000;
/// How many bytes all pictures of one call may have together. Requests have limits of 20 to 32 MB, in base64.
pub const MAX_PICTURES_BYTES: usize = 10 * 1024 * 1024;

/// A kind of picture that models can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// Graphics Interchange Format, of which the first image counts.
    Gif,
    /// WebP.
    Webp,
}

/// A whole picture within the limits.
///
/// ```
/// use windlass_text::{Picture, PictureError, PictureFormat};
/// let cut = b"\x89PNG\r\n\x1a\nnot a picture";
/// assert_eq!(PictureFormat::of(cut), Some(PictureFormat::Png));
/// assert_eq!(Picture::read(cut), Err(PictureError::Broken(PictureFormat::Png)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// Its kind.
    pub format: PictureFormat,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// Why a file is not handed on as a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// It begins like no picture that models can look at.
    #[error("not a PNG, JPEG, GIF or WebP picture")]
    Other,
    /// Its head or a later part is damaged or missing.
    #[error("begins like a picture ({0}) and cannot be read as one; it is cut or damaged")]
    Broken(PictureFormat),
    /// It is longer than [`MAX_PICTURE_BYTES`], or a side is longer than [`MAX_PICTURE_SIDE`] or zero.
    #[error(
        "is a picture of {width}x{height} and {len} bytes; at most {MAX_PICTURE_SIDE}x{MAX_PICTURE_SIDE} and {MAX_PICTURE_BYTES} bytes can be shown"
    )]
    TooLarge {
        /// Pixels; zero if its head does not say how many.
        width: u32,
        /// Pixels.
        height: u32,
        /// Bytes.
        len: usize,
    },
}

impl PictureFormat {
    /// The kind of picture that a file begins like.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// Its media type, as `image/png`.
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
    /// Reads a file as a picture: its head, and all parts to its end.
    ///
    /// # Errors
    /// If it is not a whole picture, or larger than what providers take. Takes time linear in its length.
    pub fn read(bytes: &[u8]) -> Result<Self, PictureError> {
        let format = PictureFormat::of(bytes).ok_or(PictureError::Other)?;
        let mut size = None;
        let walked = match format {
            PictureFormat::Png => walk::png(bytes, &mut size),
            PictureFormat::Jpeg => walk::jpeg(bytes, &mut size),
            PictureFormat::Gif => walk::gif(bytes, &mut size),
            PictureFormat::Webp => walk::webp(bytes, &mut size),
        };
        // The sides first: a smaller picture would help there, and a whole one would not.
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
