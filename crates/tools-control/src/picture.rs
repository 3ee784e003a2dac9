//! Identifies files that are not supported images, by their first bytes.

use std::fmt;

/// The type of a file that is not an image for models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Other {
    Empty,
    Picture(&'static str),
    Svg,
    Pdf,
    Text,
    Binary,
}

impl Other {
    /// Returns the type for a file's first bytes.
    pub(crate) fn detect(bytes: &[u8]) -> Self {
        let start = bytes.get(..bytes.len().min(512)).unwrap_or_default();
        match start {
            [] => Self::Empty,
            [b'B', b'M', ..] => Self::Picture("a BMP picture"),
            [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => Self::Picture("a TIFF picture"),
            [0, 0, 1, 0, ..] => Self::Picture("an icon file"),
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => Self::Picture("an AVIF, HEIC or video file"),
            [0xff, 0x0a, ..] => Self::Picture("a JPEG XL picture"),
            [b'%', b'P', b'D', b'F', ..] => Self::Pdf,
            _ => {
                // The 512 bytes may end inside a character.
                let text = match std::str::from_utf8(start) {
                    Ok(text) => Some(text),
                    Err(error) if error.error_len().is_none() => {
                        start.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok())
                    }
                    Err(_) => None,
                };
                match text {
                    Some(text) if text.contains("<svg") => Self::Svg,
                    Some(text) if !text.contains('\0') => Self::Text,
                    _ => Self::Binary,
                }
            }
        }
    }

    /// Returns the advice to the model for this type of file.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::Picture(_) | Self::Svg => "Convert it to PNG with a command, and view that.",
            Self::Pdf => "Turn the page that you want into a PNG with a command, and view that.",
            Self::Text => "Read it with read_file.",
            Self::Empty | Self::Binary => "Name a file that is a picture.",
        }
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
            Self::Binary => "a file in an unknown picture format",
        })
    }
}
