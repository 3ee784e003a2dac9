//! A file for an upload, and the file that the provider stored.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;
use windlass_protocol::{File, FileSource, ImageSource, Part};

/// A file for [`Client::upload`](crate::Client::upload).
///
/// ```
/// use windlass_client::Upload;
/// let upload = Upload::new("%PDF-1.7", "application/pdf", "report.pdf");
/// assert_eq!(upload.len(), 8);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Upload {
    pub(crate) bytes: Bytes,
    pub(crate) media_type: String,
    pub(crate) name: String,
}

/// A file that the provider stores.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UploadedFile {
    /// Id of the file in requests; at Gemini the URI of the file.
    pub id: String,
    /// Media type of the upload.
    pub media_type: String,
    /// Name of the upload.
    pub name: String,
    /// Time at which the provider deletes the file, as it writes times; `None` if it does not state one.
    pub expires_at: Option<String>,
}

impl Upload {
    /// Creates an upload. The provider may show the name to the model.
    pub fn new(bytes: impl Into<Bytes>, media_type: impl Into<String>, name: impl Into<String>) -> Self {
        Self { bytes: bytes.into(), media_type: media_type.into(), name: name.into() }
    }

    /// Returns an upload of the bytes of a part, or `None` if it has no bytes of its own, or its base64 is invalid.
    pub fn from_part(part: &Part) -> Option<Self> {
        let (media_type, name, data) = match part {
            Part::Image(image) => match &image.source {
                ImageSource::Base64(data) => (&image.media_type, None, data),
                _ => return None,
            },
            Part::File(file) => match &file.source {
                FileSource::Base64(data) => (&file.media_type, file.name.clone(), data),
                _ => return None,
            },
            _ => return None,
        };
        let extension = media_type.rsplit('/').next().unwrap_or("bin");
        let name = name.unwrap_or_else(|| format!("file.{extension}"));
        Some(Self::new(STANDARD.decode(data).ok()?, media_type, name))
    }

    /// Returns the size in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if the file has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns a form with these fields and the file, whose parts are separated by the boundary.
    pub(crate) fn to_form(&self, fields: &[(&str, &str)], boundary: &str) -> Vec<u8> {
        let mut form = Vec::with_capacity(self.bytes.len().saturating_add(1_024));
        for (name, value) in fields {
            let field =
                format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            form.extend(field.bytes());
        }
        // The escapes of the HTML standard for names in forms.
        let name = self.name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: {}\r\n\r\n",
            self.media_type
        );
        form.extend(head.bytes());
        form.extend_from_slice(&self.bytes);
        form.extend(format!("\r\n--{boundary}--\r\n").bytes());
        form
    }

    /// Returns true if the media type can be the value of a header.
    pub(crate) fn has_plain_media_type(&self) -> bool {
        self.media_type.contains('/') && self.media_type.bytes().all(|byte| matches!(byte, b' '..=b'~'))
    }
}

impl fmt::Debug for Upload {
    // The bytes are the user's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload")
            .field("name", &self.name)
            .field("media_type", &self.media_type)
            .field("bytes", &format_args!("{} bytes", self.bytes.len()))
            .finish()
    }
}

impl UploadedFile {
    /// Returns the part that refers to the file.
    pub fn to_part(&self) -> Part {
        let file = File::from_upload(self.media_type.clone(), self.id.clone());
        Part::File(file.with_name(Some(self.name.clone())))
    }

    /// Reads the response to an upload. Returns `None` if it does not name the file.
    pub(crate) fn from_response(upload: &Upload, response: &Value) -> Option<Self> {
        // Gemini nests its file, and requests name it by its URI.
        let file = response.get("file").unwrap_or(response);
        let id = ["uri", "id"].iter().find_map(|name| file.get(*name)?.as_str())?;
        let expires_at = ["expires_at", "expirationTime"].iter().find_map(|name| file.get(*name));
        let expires_at = expires_at.filter(|time| !time.is_null());
        Some(Self {
            id: id.to_owned(),
            media_type: upload.media_type.clone(),
            name: upload.name.clone(),
            expires_at: expires_at.map(|time| time.as_str().map_or_else(|| time.to_string(), str::to_owned)),
        })
    }
}
