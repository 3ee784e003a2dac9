//! The reader of attachments.

use std::fs::{File as DiskFile, metadata};
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use windlass_protocol::{File, Image, Part};

use crate::media_type::detect_media_type;
use crate::picture::prepare_picture;
use crate::text::read_text;
use crate::{AttachmentError, AttachmentLimits};

/// Reader of files, bytes and addresses into parts of a message, within limits.
///
/// The media type follows from the content. A picture that is larger than the limits is resized and encoded again, and
/// the orientation in its EXIF data is applied. A text file becomes text, every other file becomes a file part.
///
/// The methods read files and decode pictures on the calling thread, which takes seconds for large pictures. In an async
/// program call them inside of `tokio::task::spawn_blocking`.
///
/// ```
/// use windlass_attachments::AttachmentReader;
/// use windlass_protocol::Part;
///
/// let part = AttachmentReader::new().read_file_bytes(b"fn main() {}".to_vec(), "main.rs")?;
/// assert_eq!(part, Part::text("File `main.rs`:\n\n```rs\nfn main() {}\n```\n"));
/// # Ok::<(), windlass_attachments::AttachmentError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AttachmentReader {
    limits: AttachmentLimits,
    media_type: Option<String>,
}

impl AttachmentReader {
    /// Creates a reader with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits.
    pub fn with_limits(mut self, limits: AttachmentLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the media type of files whose content does not show it, and of addresses. A file is not converted to text
    /// then, unless the type is a text.
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Returns the limits.
    pub fn limits(&self) -> &AttachmentLimits {
        &self.limits
    }

    /// Reads a file into a part: a picture, a text with the file's name, or a file.
    ///
    /// # Errors
    /// If the file cannot be read, exceeds a limit, is a picture that cannot be decoded, or has an unknown type.
    pub fn read_file(&self, path: impl AsRef<Path>) -> Result<Part, AttachmentError> {
        let path = path.as_ref();
        let bytes = self.read_path(path)?;
        let name = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
        self.read_file_bytes(bytes, &name)
    }

    /// Reads a picture.
    ///
    /// # Errors
    /// Like [`Self::read_file`], and if the file is not a picture.
    pub fn read_image(&self, path: impl AsRef<Path>) -> Result<Image, AttachmentError> {
        let path = path.as_ref();
        self.read_image_bytes(self.read_path(path)?, &path.to_string_lossy())
    }

    /// Converts the bytes of a file into a part. The name is shown to the model, and appears in errors.
    ///
    /// # Errors
    /// Like [`Self::read_file`].
    pub fn read_file_bytes(&self, bytes: Vec<u8>, name: &str) -> Result<Part, AttachmentError> {
        check_size(name, "a file", bytes.len() as u64, self.limits.file_bytes)?;
        let detected = detect_media_type(&bytes, name);
        if detected.is_some_and(|media_type| media_type.starts_with("image/")) {
            return self.read_image_bytes(bytes, name).map(Part::Image);
        }
        let is_text = |media_type: &str| media_type.starts_with("text/");
        let media_type = match detected.or(self.media_type()) {
            Some(media_type) if !is_text(media_type) => media_type,
            _ => {
                check_size(name, "a text", bytes.len() as u64, self.limits.text_bytes)?;
                return read_text(name, &bytes);
            }
        };
        let file = File::base64(media_type, STANDARD.encode(&bytes));
        Ok(Part::File(file.with_name(Some(name.to_owned()))))
    }

    /// Converts the bytes of a picture. The name appears in errors only.
    ///
    /// # Errors
    /// Like [`Self::read_image`].
    pub fn read_image_bytes(&self, bytes: Vec<u8>, name: &str) -> Result<Image, AttachmentError> {
        check_size(name, "a picture", bytes.len() as u64, self.limits.image_bytes)?;
        let (media_type, bytes) = prepare_picture(name, bytes, &self.limits)?;
        Ok(Image::base64(media_type, STANDARD.encode(bytes)))
    }

    pub(crate) fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Reads a regular file up to the limit for files. A pipe or a device is refused before it is opened, because opening
    /// it can block.
    fn read_path(&self, path: &Path) -> Result<Vec<u8>, AttachmentError> {
        let name = || path.to_string_lossy().into_owned();
        let to_error = |source| AttachmentError::Io { name: name(), source };
        if !metadata(path).map_err(to_error)?.is_file() {
            return Err(AttachmentError::NotAFile { name: name() });
        }
        let file = DiskFile::open(path).map_err(to_error)?;
        let len = file.metadata().map_err(to_error)?.len();
        let limit = self.limits.file_bytes;
        if len <= limit {
            let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
            // The file can grow after its length was read.
            file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(to_error)?;
            return Ok(bytes);
        }
        Err(AttachmentError::TooLarge { name: name(), kind: "a file", len, limit })
    }
}

fn check_size(name: &str, kind: &'static str, len: u64, limit: u64) -> Result<(), AttachmentError> {
    if len == 0 {
        return Err(AttachmentError::Empty { name: name.to_owned() });
    }
    if len > limit {
        return Err(AttachmentError::TooLarge { name: name.to_owned(), kind, len, limit });
    }
    Ok(())
}
