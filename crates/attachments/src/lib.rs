#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "files are read here, on behalf of the program's user")]

mod attach;
mod error;
mod limits;
mod media_type;
mod picture;
mod reader;
mod shortcuts;
mod text;
mod url;

pub use attach::Attach;
pub use error::AttachmentError;
pub use limits::AttachmentLimits;
pub use media_type::detect_media_type;
pub use reader::AttachmentReader;
pub use shortcuts::{file, file_bytes, image, image_bytes, url};
