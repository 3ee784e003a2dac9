//! Addresses that the provider fetches, and data URLs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use windlass_protocol::{File, Image, Part};

use crate::media_type::media_type_of_name;
use crate::{AttachmentError, AttachmentReader};

/// Longest address, in bytes.
const MAX_URL_BYTES: usize = 8_192;

impl AttachmentReader {
    /// Returns the part of an address that the provider fetches. The media type is the one that was set, or that of the
    /// extension in the address. The content of a `data:` URL is read like a file.
    ///
    /// # Errors
    /// If the address has another scheme than `http`, `https`, `gs` or `data`, is longer than 8 KiB, or does not
    /// indicate a media type.
    pub fn read_url(&self, url: &str) -> Result<Part, AttachmentError> {
        if let Some(data) = url.strip_prefix("data:") {
            return self.read_data_url(url, data);
        }
        if url.len() > MAX_URL_BYTES {
            return Err(refuse(url, "the address is longer than 8 KiB; attach the file itself"));
        }
        let rest = ["https://", "http://", "gs://"].iter().find_map(|scheme| url.strip_prefix(scheme));
        let rest =
            rest.ok_or_else(|| refuse(url, "only http, https, gs and data addresses can be attached"))?;
        let path = rest.split(['?', '#']).next().unwrap_or(rest);
        let path = path.split_once('/').map_or("", |(_, path)| path);
        let media_type = self.media_type().or_else(|| media_type_of_name(path)).ok_or_else(|| {
            refuse(url, "its type is not known; state the type with `AttachmentReader::with_media_type`")
        })?;
        if media_type.starts_with("image/") {
            return Ok(Part::Image(Image::url(media_type, url)));
        }
        let name = path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned);
        Ok(Part::File(File::url(media_type, url).with_name(name)))
    }

    fn read_data_url(&self, url: &str, data: &str) -> Result<Part, AttachmentError> {
        let (head, body) = data
            .split_once(',')
            .ok_or_else(|| refuse(url, "a data address needs a comma before its data"))?;
        let media_type = head
            .strip_suffix(";base64")
            .ok_or_else(|| refuse(url, "only base64 data addresses are read; encode the data with base64"))?;
        // Base64 has four characters for three bytes.
        let limit = usize::try_from(self.limits().file_bytes).unwrap_or(usize::MAX);
        if body.len() / 4 > limit / 3 {
            return Err(refuse(url, "the data is longer than the limit for files; reduce it"));
        }
        let bytes = STANDARD
            .decode(body)
            .map_err(|_| refuse(url, "the data is not valid base64; encode it with standard base64"))?;
        let media_type = media_type.split(';').next().unwrap_or_default();
        let name = match media_type.split_once('/') {
            Some(("text", _)) | None => "data.txt".to_owned(),
            Some((_, kind)) => format!("data.{kind}"),
        };
        self.read_file_bytes(bytes, &name)
    }
}

fn refuse(url: &str, reason: &'static str) -> AttachmentError {
    AttachmentError::Url { url: url.chars().take(200).collect(), reason }
}
