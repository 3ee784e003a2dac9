//! Files that the scripted provider stores, by the APIs of OpenAI, Anthropic and Gemini.

use std::sync::{Mutex, PoisonError};

use hyper::header::{CONTENT_TYPE, HeaderMap};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

/// A request to the API for files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileRequest {
    /// A form with the bytes of a file.
    Form,
    /// Google's protocol: the first request, or the second one with the bytes.
    Resumable { has_bytes: bool },
    /// The state of the file with this id.
    State(String),
    /// The removal of the file with this id.
    Removal(String),
}

/// A file that a client uploaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredFile {
    /// The id in the file's responses. At Gemini, a request contains a URI that ends with it.
    pub id: String,
    /// The size of the upload in bytes: at Gemini of the file, otherwise of the form around it.
    pub len: usize,
}

/// The files of a server.
#[derive(Debug, Default)]
pub(super) struct StoredFiles(Mutex<Files>);

#[derive(Debug, Default)]
struct Files {
    count: usize,
    files: Vec<StoredFile>,
}

/// The answer to a request to the API for files.
pub(super) struct FileReply {
    pub(super) status: StatusCode,
    pub(super) body: Value,
    /// The address for the bytes of a resumable upload.
    pub(super) upload_url: Option<String>,
}

impl FileRequest {
    /// Returns the request of a method and a path, or `None` if the path is not of the API for files. The paths exist
    /// with and without the version of the API.
    pub(super) fn parse(method: &Method, path: &str, query: Option<&str>) -> Option<Self> {
        let (is_upload, path) = match path.strip_prefix("/upload") {
            Some(path) => (true, path),
            None => (false, path),
        };
        let path =
            ["/v1beta", "/v1"].into_iter().find_map(|version| path.strip_prefix(version)).unwrap_or(path);
        let name = path.strip_prefix("/files")?;
        match (method, name.strip_prefix('/')) {
            (&Method::POST, None) if name.is_empty() && is_upload => {
                Some(Self::Resumable { has_bytes: query.is_some_and(|query| query.contains("upload_id=")) })
            }
            (&Method::POST, None) if name.is_empty() => Some(Self::Form),
            (&Method::GET, Some(id)) => Some(Self::State(id.to_owned())),
            (&Method::DELETE, Some(id)) => Some(Self::Removal(id.to_owned())),
            _ => None,
        }
    }
}

impl StoredFiles {
    pub(super) fn list(&self) -> Vec<StoredFile> {
        self.lock().files.clone()
    }

    /// Answers a request. `root` is the address of the server.
    pub(super) fn answer(
        &self,
        root: &str,
        request: &FileRequest,
        headers: &HeaderMap,
        body: &[u8],
    ) -> FileReply {
        let uri = |id: &str| json!({ "name": format!("files/{id}"), "uri": format!("{root}/files/{id}"), "state": "ACTIVE" });
        match request {
            FileRequest::Form => match check_form(headers, body) {
                Ok(()) => {
                    let id = self.store(body.len());
                    ok(json!({ "id": id, "type": "file", "object": "file", "expires_at": null }))
                }
                Err(message) => refuse(StatusCode::BAD_REQUEST, message),
            },
            FileRequest::Resumable { has_bytes: false } => match check_start(headers) {
                Ok(()) => FileReply {
                    upload_url: Some(format!("{root}/upload/files?upload_id=1")),
                    ..ok(json!({}))
                },
                Err(message) => refuse(StatusCode::BAD_REQUEST, message),
            },
            FileRequest::Resumable { has_bytes: true } if body.is_empty() => {
                refuse(StatusCode::BAD_REQUEST, "the upload has no bytes")
            }
            FileRequest::Resumable { has_bytes: true } => ok(json!({ "file": uri(&self.store(body.len())) })),
            FileRequest::State(id) if self.lock().files.iter().any(|file| file.id == *id) => ok(uri(id)),
            FileRequest::State(_) => refuse(StatusCode::NOT_FOUND, "the file does not exist"),
            FileRequest::Removal(id) => {
                let mut files = self.lock();
                let before = files.files.len();
                files.files.retain(|file| file.id != *id);
                if files.files.len() == before {
                    return refuse(StatusCode::NOT_FOUND, "the file does not exist");
                }
                ok(json!({ "id": id, "deleted": true }))
            }
        }
    }

    fn store(&self, len: usize) -> String {
        let mut files = self.lock();
        files.count = files.count.saturating_add(1);
        let id = format!("file-scripted-{}", files.count);
        files.files.push(StoredFile { id: id.clone(), len });
        id
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks that a form has a file, and the purpose that OpenAI requires.
fn check_form(headers: &HeaderMap, body: &[u8]) -> Result<(), &'static str> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").ok_or("the body is not a form")?;
    let has = |text: &str| body.windows(text.len().max(1)).any(|part| part == text.as_bytes());
    if !has(&format!("--{boundary}--")) {
        return Err("the form does not end with its boundary");
    }
    if !has("name=\"file\"; filename=\"") {
        return Err("the field file is required");
    }
    if !headers.contains_key("anthropic-version") && !has("name=\"purpose\"") {
        return Err("the field purpose is required");
    }
    Ok(())
}

/// Checks the headers of the first request of a resumable upload.
fn check_start(headers: &HeaderMap) -> Result<(), &'static str> {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|held| held == value);
    if is("x-goog-upload-protocol", "resumable") && is("x-goog-upload-command", "start") {
        return Ok(());
    }
    Err("the headers of a resumable upload are required")
}

fn ok(body: Value) -> FileReply {
    FileReply { status: StatusCode::OK, body, upload_url: None }
}

fn refuse(status: StatusCode, message: &str) -> FileReply {
    let kind = if status == StatusCode::NOT_FOUND { "not_found_error" } else { "invalid_request_error" };
    let body = json!({ "type": "error", "error": { "type": kind, "message": message } });
    FileReply { status, body, upload_url: None }
}

#[cfg(test)]
mod tests;
