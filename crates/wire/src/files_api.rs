//! The API of a wire format for files that the provider stores.

/// The API for files of a wire format: requests refer to a stored file by its id, instead of containing its bytes.
///
/// ```
/// use windlass_wire::{FilesApi, UploadProtocol};
/// let api = FilesApi::multipart("/v1/files", &[("purpose", "user_data")], 512_000_000);
/// assert!(api.takes_images);
/// assert_eq!(FilesApi::resumable("/files", 2_000_000_000).upload, UploadProtocol::Resumable);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilesApi {
    /// Path of the collection of files, relative to the endpoint's base URL.
    pub path: &'static str,
    /// Protocol of an upload.
    pub upload: UploadProtocol,
    /// Largest file, in bytes.
    pub max_bytes: u64,
    /// True if a request can refer to a stored picture.
    pub takes_images: bool,
}

/// Protocol of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UploadProtocol {
    /// One request with a form (`multipart/form-data`): these fields, and the bytes in the field `file`. The response
    /// has the file's `id`.
    Multipart {
        /// Names and values of the fields before the file.
        fields: &'static [(&'static str, &'static str)],
    },
    /// Google's resumable protocol: a first request returns the address for the bytes, and the second one sends them. The
    /// response has the file's `uri`, which is its id.
    Resumable,
}

impl FilesApi {
    /// Creates an API whose uploads are forms.
    pub const fn multipart(
        path: &'static str,
        fields: &'static [(&'static str, &'static str)],
        max_bytes: u64,
    ) -> Self {
        Self { path, upload: UploadProtocol::Multipart { fields }, max_bytes, takes_images: true }
    }

    /// Creates an API with Google's resumable protocol.
    pub const fn resumable(path: &'static str, max_bytes: u64) -> Self {
        Self { path, upload: UploadProtocol::Resumable, max_bytes, takes_images: true }
    }

    /// States whether requests can refer to stored pictures.
    pub const fn with_images(mut self, takes_images: bool) -> Self {
        self.takes_images = takes_images;
        self
    }
}
