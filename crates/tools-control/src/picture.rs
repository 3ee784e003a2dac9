//! Pictures by their first bytes.

use std::fmt;

/// A kind of picture that models can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Jpeg,
    Gif,
    Webp,
}

/// What a file is that is none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Other {
    Empty,
    Picture(&'static str),
    Svg,
    Pdf,
    Text,
    Binary,
}

/// A picture's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Format {
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }

    pub(crate) fn other(bytes: &[u8]) -> Other {
        let start = bytes.get(..bytes.len().min(512)).unwrap_or_default();
        match start {
            [] => Other::Empty,
            [b'B', b'M', ..] => Other::Picture("a BMP picture"),
            [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => Other::Picture("a TIFF picture"),
            [0, 0, 1, 0, ..] => Other::Picture("an icon file"),
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => Other::Picture("an AVIF, HEIC or video file"),
            [0xff, 0x0a, ..] => Other::Picture("a JPEG XL picture"),
            [b'%', b'P', b'D', b'F', ..] => Other::Pdf,
            _ => {
                // A character may be cut at the end of what is looked at.
                let text = match std::str::from_utf8(start) {
                    Ok(text) => Some(text),
                    Err(error) if error.error_len().is_none() => {
                        start.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok())
                    }
                    Err(_) => None,
                };
                match text {
                    Some(text) if text.contains("<svg") => Other::Svg,
                    Some(text) if !text.contains('\0') => Other::Text,
                    _ => Other::Binary,
                }
            }
        }
    }
}

impl Other {
    /// What to do instead.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::Picture(_) | Self::Svg => "convert it to PNG with a command, and view that",
            Self::Pdf => "turn the page that you want into a PNG with a command, and view that",
            Self::Text => "read it with read_file",
            Self::Empty | Self::Binary => "name a file that is a picture",
        }
    }
}

impl Picture {
    /// The size that a picture's head says.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let size = imagesize::blob_size(bytes).ok()?;
        Some(Self { width: size.width, height: size.height })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.media_type())
    }
}

impl fmt::Display for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "empty",
            Self::Picture(what) => what,
            Self::Svg => "an SVG drawing, which is text",
            Self::Pdf => "a PDF document",
            Self::Text => "a text",
            Self::Binary => "a file that is no known picture",
        })
    }
}
