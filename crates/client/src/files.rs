//! Files that the provider stores: upload and deletion.

mod exchange;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use windlass_protocol::{Message, Part};
use windlass_stream::ModelError;
use windlass_vendors::Header;
use windlass_wire::{FilesApi, UploadProtocol};

use self::exchange::{boundary, origin};
use crate::response::total_timeout_error;
use crate::retry::{self, Attempt, Tries};
use crate::transport::{TransportRequest, header};
use crate::upload::{Upload, UploadedFile};
use crate::{Client, Pace};

/// First wait before a file's state is requested again. It doubles up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Safety of a second request after a failed one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// A second request has the same effect as one.
    Safe,
    /// A second request can store a second file, so only a request that was not processed is repeated.
    StoresAgain,
}

impl Client {
    /// Uploads a file, so that requests can refer to it by its id instead of repeating its bytes. Waits until the provider
    /// has processed the file. The body of the request is a second copy of the bytes.
    ///
    /// The total timeout of [`Options`](crate::Options) limits the whole upload. A request is repeated only if it did not
    /// reach the provider, or was refused because of load (429, 503, 529).
    ///
    /// Not cancel-safe: if the future is dropped, the provider may have stored the file.
    ///
    /// ```no_run
    /// # async fn run(client: windlass_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use windlass_client::Upload;
    /// use windlass_protocol::Message;
    ///
    /// let file = client.upload(Upload::new("%PDF-1.7", "application/pdf", "report.pdf")).await?;
    /// let task = Message::user("Summarise the report.").with_part(file.to_part());
    /// # let _ = task;
    /// client.delete_file(&file.id).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the provider has no API for files, the file is empty or larger than the provider accepts, or a request fails.
    pub async fn upload(&self, upload: Upload) -> Result<UploadedFile, ModelError> {
        let api = self.files_api()?;
        self.check_upload(api, &upload)?;
        let deadline = retry::add_wait(Instant::now(), self.inner.options.total_timeout);
        match api.upload {
            UploadProtocol::Multipart { fields } => self.upload_form(api, fields, &upload, deadline).await,
            UploadProtocol::Resumable => self.upload_resumable(api, &upload, deadline).await,
            _ => Err(self.refuse("the protocol of its uploads is not supported")),
        }
    }

    /// Uploads the pictures and files of a message that have at least `min_bytes` bytes, and returns the message with
    /// their ids. Parts that the provider cannot store stay as they are.
    ///
    /// # Errors
    /// If an upload fails. Files that were uploaded before stay at the provider.
    pub async fn upload_parts(&self, mut message: Message, min_bytes: usize) -> Result<Message, ModelError> {
        let Ok(api) = self.files_api() else { return Ok(message) };
        for part in &mut message.parts {
            if matches!(part, Part::Image(_)) && !api.takes_images {
                continue;
            }
            if let Some(upload) = Upload::from_part(part).filter(|upload| upload.len() >= min_bytes) {
                *part = self.upload(upload).await?.to_part();
            }
        }
        Ok(message)
    }

    /// Deletes a file that the provider stores. Deleting a file that a first attempt has already deleted is not an error.
    ///
    /// # Errors
    /// If the provider has no API for files, the id is not an id of a file, or the request fails.
    pub async fn delete_file(&self, id: &str) -> Result<(), ModelError> {
        let url = self.file_url(self.files_api()?, id)?;
        let deadline = retry::add_wait(Instant::now(), self.inner.options.total_timeout);
        let mut tries = Tries::new(&self.inner.options);
        let request = self.add_headers(TransportRequest::delete(url));
        match self.exchange(request, &mut tries, deadline, Repetition::Safe).await {
            Err(Attempt { status: Some(404), .. }) if tries.attempts > 1 => Ok(()),
            Err(failed) => Err(failed.error),
            Ok(_) => Ok(()),
        }
    }

    /// Returns the API for files, if the format and the provider have one.
    fn files_api(&self) -> Result<FilesApi, ModelError> {
        let api = self.wire().files_api().filter(|_| self.endpoint().stores_files);
        api.ok_or_else(|| self.refuse("it has no API for files; send the bytes in the request"))
    }

    fn check_upload(&self, api: FilesApi, upload: &Upload) -> Result<(), ModelError> {
        let (name, len) = (&upload.name, upload.len());
        if upload.is_empty() {
            return Err(self.refuse(&format!("`{name}` is empty and cannot be uploaded")));
        }
        if len as u64 > api.max_bytes {
            let limit = api.max_bytes;
            return Err(
                self.refuse(&format!("`{name}` has {len} bytes, and at most {limit} can be uploaded"))
            );
        }
        if !upload.has_plain_media_type() {
            let media_type = &upload.media_type;
            return Err(self.refuse(&format!("{media_type:?} of `{name}` is not a media type")));
        }
        Ok(())
    }

    /// Uploads a file as a form, in one request.
    async fn upload_form(
        &self,
        api: FilesApi,
        fields: &[(&str, &str)],
        upload: &Upload,
        deadline: Instant,
    ) -> Result<UploadedFile, ModelError> {
        let boundary = boundary(&upload.bytes);
        let form = upload.to_form(fields, &boundary);
        let kind = format!("multipart/form-data; boundary={boundary}");
        let request = TransportRequest::post(self.endpoint().url(api.path), form);
        let request = self.add_headers(request).with_header(Header::new("content-type", kind));
        let mut tries = Tries::new(&self.inner.options);
        let answer = self.exchange(request, &mut tries, deadline, Repetition::StoresAgain).await;
        self.read_file(upload, &answer.map_err(|failed| failed.error)?.1)
    }

    /// Uploads a file in two requests, and waits until the provider has processed it.
    async fn upload_resumable(
        &self,
        api: FilesApi,
        upload: &Upload,
        deadline: Instant,
    ) -> Result<UploadedFile, ModelError> {
        let mut tries = Tries::new(&self.inner.options);
        let start = json!({ "file": { "display_name": upload.name } }).to_string();
        let request = self.add_headers(TransportRequest::post(self.upload_url(api), start));
        let request = [
            ("content-type", "application/json"),
            ("x-goog-upload-protocol", "resumable"),
            ("x-goog-upload-command", "start"),
            ("x-goog-upload-header-content-length", &upload.len().to_string()),
            ("x-goog-upload-header-content-type", &upload.media_type),
        ]
        .into_iter()
        .fold(request, |request, (name, value)| request.with_header(Header::new(name, value)));
        // The first request reserves an address only.
        let answer = self.exchange(request, &mut tries, deadline, Repetition::Safe).await;
        let (headers, _) = answer.map_err(|failed| failed.error)?;
        let url = header(&headers, "x-goog-upload-url").unwrap_or_default();
        // The bytes are the user's, so they stay at the host that the user named. The address carries its own
        // authorization; it gets no key.
        if origin(url).is_none() || origin(url) != origin(&self.endpoint().base_url) {
            return Err(self.reject_response("the address for the bytes is missing, or at another host"));
        }
        let request = TransportRequest::post(url, upload.bytes.clone())
            .with_header(Header::new("x-goog-upload-offset", "0"))
            .with_header(Header::new("x-goog-upload-command", "upload, finalize"));
        let answer = self.exchange(request, &mut tries, deadline, Repetition::StoresAgain).await;
        let answer = answer.map_err(|failed| failed.error)?.1;
        self.wait_until_active(api, upload, answer, deadline).await
    }

    /// Requests a file's state until its processing has ended.
    async fn wait_until_active(
        &self,
        api: FilesApi,
        upload: &Upload,
        mut answer: Value,
        deadline: Instant,
    ) -> Result<UploadedFile, ModelError> {
        let file = self.read_file(upload, &answer)?;
        let mut wait = FIRST_WAIT;
        loop {
            let state = answer.get("file").unwrap_or(&answer).get("state").and_then(Value::as_str);
            match state {
                Some("PROCESSING") => {}
                Some("FAILED") => {
                    return Err(self.refuse(&format!("`{}` could not be processed", upload.name)));
                }
                _ => return Ok(file),
            }
            if wait >= deadline.saturating_duration_since(Instant::now()) {
                return Err(total_timeout_error(&self.inner.failures, self.inner.options.total_timeout));
            }
            let is_paced = self.inner.options.pace == Pace::Kept;
            sleep(if is_paced { wait } else { Duration::ZERO }).await;
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
            let request = self.add_headers(TransportRequest::get(self.file_url(api, &file.id)?));
            let mut tries = Tries::new(&self.inner.options);
            let next = self.exchange(request, &mut tries, deadline, Repetition::Safe).await;
            answer = next.map_err(|failed| failed.error)?.1;
        }
    }

    fn read_file(&self, upload: &Upload, answer: &Value) -> Result<UploadedFile, ModelError> {
        UploadedFile::from_response(upload, answer)
            .ok_or_else(|| self.reject_response("the response to an upload does not name the file"))
    }
}
