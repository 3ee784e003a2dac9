//! Requests to the API for files: addresses, headers, retries, and the errors of refusals.

use bytes::Bytes;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use windlass_stream::{ModelError, ModelErrorKind};
use windlass_vendors::Header;
use windlass_wire::FilesApi;

use super::Repetition;
use crate::Client;
use crate::client::ClientInner;
use crate::response::{read_refusal_body, total_timeout_error};
use crate::retry::{Attempt, Tries};
use crate::transport::{TransportRequest, TransportResponse};

/// Headers and body of a successful response.
pub(crate) type Answer = (Vec<(String, String)>, Value);

impl Client {
    /// Sends a request with retries, and returns the headers and the JSON body of its response. A body that is not JSON
    /// becomes null.
    pub(crate) async fn exchange(
        &self,
        request: TransportRequest,
        tries: &mut Tries,
        deadline: Instant,
        repetition: Repetition,
    ) -> Result<Answer, Attempt> {
        loop {
            tries.attempts = tries.attempts.saturating_add(1);
            let failed = match self.exchange_once(request.clone(), deadline).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            if repetition == Repetition::StoresAgain && !matches!(failed.status, None | Some(429 | 503 | 529))
            {
                return Err(failed);
            }
            self.pause(failed, tries, deadline).await?;
        }
    }

    async fn exchange_once(&self, request: TransportRequest, deadline: Instant) -> Result<Answer, Attempt> {
        let ClientInner { transport, failures, options, encoder, .. } = &self.inner;
        let response = timeout_at(deadline, transport.send(request))
            .await
            .map_err(|_| total_timeout_error(failures, options.total_timeout))?
            .map_err(|error| failures.transport(&error))?;
        let TransportResponse { status, headers, body } = response;
        if (200..300).contains(&status) {
            let decoder = self.response_decoder(encoder.wire().clone(), None, deadline);
            let body = decoder.read_body(body).await?;
            return Ok((headers, serde_json::from_slice(&body).unwrap_or_default()));
        }
        let body = failures.key.redact_bytes(read_refusal_body(body, deadline).await);
        let refusal = failures.key.redact_error(encoder.wire().decode_error(status, &body));
        let error = failures.refusal(status, &headers, refusal);
        Err(Attempt { error, status: Some(status), rejection: None })
    }

    /// Adds the headers of the wire format and of the endpoint, with the key.
    pub(crate) fn add_headers(&self, request: TransportRequest) -> TransportRequest {
        let own = self.wire().headers().into_iter().map(|(name, value)| Header::new(name, value));
        let headers = self.endpoint().all_headers(self.inner.failures.key.expose()).into_iter().chain(own);
        headers.fold(request, TransportRequest::with_header)
    }

    /// Returns the address of a stored file. The last part of an id is its name, also of a URI; only the characters of
    /// names are accepted, so an id cannot lead to another path.
    pub(super) fn file_url(&self, api: FilesApi, id: &str) -> Result<String, ModelError> {
        self.stored_url(api.path, id).ok_or_else(|| self.refuse(&format!("{id:?} is not the id of a file")))
    }

    /// Returns the address of a stored value in a collection, or `None` if the id is not one.
    pub(crate) fn stored_url(&self, path: &str, id: &str) -> Option<String> {
        let name = id.rsplit('/').next().unwrap_or(id);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if name.bytes().all(|byte| byte == b'.') || !name.bytes().all(is_plain) {
            return None;
        }
        Some(self.endpoint().url(&format!("{path}/{name}")))
    }

    /// Returns the address for uploads: Google has it below `/upload` of the same host.
    pub(super) fn upload_url(&self, api: FilesApi) -> String {
        let url = self.endpoint().url(api.path);
        let scheme = url.find("://").map_or(0, |at| at.saturating_add(3));
        let (start, rest) = url.split_at_checked(scheme).unwrap_or(("", &url));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        format!("{start}{authority}/upload/{path}")
    }

    pub(crate) fn refuse(&self, text: &str) -> ModelError {
        self.inner.failures.model_error(ModelErrorKind::Refused, text)
    }

    pub(crate) fn reject_response(&self, text: &str) -> ModelError {
        self.inner.failures.model_error(ModelErrorKind::Malformed, text)
    }
}

/// Returns the scheme and the authority of an address, without user information and in lower case.
pub(super) fn origin(url: &str) -> Option<(String, String)> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    (!host.is_empty()).then(|| (scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

/// Returns a boundary that the file does not contain by chance: 128 random bits.
pub(super) fn boundary(file: &Bytes) -> String {
    let mut random = [0_u8; 16];
    // Without randomness, the length makes a boundary. The server refuses a form that it cannot split.
    if getrandom::fill(&mut random).is_err() {
        random = (file.len() as u128).to_be_bytes();
    }
    random.iter().fold("windlass-".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}
