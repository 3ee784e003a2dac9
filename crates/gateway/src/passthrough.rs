//! Exchanges within one format: the client's bytes go to the provider, and the provider's bytes come back.

mod tail;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use serde::Deserialize;
use serde_json::value::RawValue;
use windlass_client::Method;
use windlass_protocol::Request;
use windlass_wire::{
    DecodedRequest, EncodeError, Encoder, Framing, HeaderDirection, Outline, ResponseHead, Server, Wire,
};

use crate::ClientRequest;
use crate::address::AddressCache;
use crate::headers::select_headers;
use crate::hook::Observer;
use crate::refusal::{self, BreakReason};
use crate::relay::{RelayBody, RelayRequest};
use crate::response::{new_id, now};
use crate::stop::StopSignal;
use crate::tee::Tee;
use tail::StreamTail;

/// Returns the request for the provider. Only the model's name changes, and only if `name` is another one.
///
/// # Errors
/// Returns an error if the provider's format has no path for the model.
pub(crate) fn relay_request(
    request: &ClientRequest,
    server: &dyn Server,
    wire: &dyn Wire,
    outline: &Outline,
    name: Option<&str>,
    addresses: &AddressCache,
) -> Result<RelayRequest, EncodeError> {
    let model = name.unwrap_or(&outline.model);
    let address = addresses.find(wire, model, outline.framing)?;
    let body = if model == outline.model { request.body.clone() } else { rename(&request.body, model) };
    let own = select_headers(HeaderDirection::Up, server, &request.headers);
    let is_replaced = |name: &str| own.iter().any(|(given, _)| given == name);
    let mut headers: Vec<_> =
        address.headers.iter().filter(|(name, _)| !is_replaced(name)).cloned().collect();
    headers.extend(own);
    let path = match query(&request.path) {
        query if query.is_empty() => address.path.clone(),
        query => format!("{}?{query}", address.path),
    };
    Ok(RelayRequest {
        method: Method::Post,
        path,
        headers,
        body,
        is_streamed: outline.framing != Framing::Whole,
    })
}

/// Returns the query of a path without keys: the client's key is for the gateway.
pub(crate) fn query(path: &str) -> String {
    let query = path.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let is_key = |pair: &&str| matches!(pair.split('=').next(), Some("key" | "access_token"));
    query.split('&').filter(|pair| !pair.is_empty() && !is_key(pair)).collect::<Vec<_>>().join("&")
}

/// Replaces the value of the body's `model` and leaves all other bytes. A body without one is unchanged.
pub(crate) fn rename(body: &Bytes, model: &str) -> Bytes {
    #[derive(Deserialize)]
    struct ModelField<'a> {
        #[serde(borrow)]
        model: Option<&'a RawValue>,
    }
    let start = if body.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let json = body.slice(start..);
    let Ok(ModelField { model: Some(raw) }) = serde_json::from_slice::<ModelField<'_>>(&json) else {
        return body.clone();
    };
    // The raw value borrows from the body, so its address gives its place.
    let offset = (raw.get().as_ptr() as usize).saturating_sub(json.as_ptr() as usize);
    let end = offset.saturating_add(raw.get().len());
    let (Some(before), Some(after)) = (json.get(..offset), json.get(end..)) else { return body.clone() };
    let name = serde_json::Value::from(model).to_string();
    [before, name.as_bytes(), after].concat().into()
}

/// A body on its way from the provider to the client.
pub(crate) struct ForwardBody {
    body: RelayBody,
    tee: Option<Tee>,
    breaker: StreamBreaker,
    stop: StopSignal,
    waiting: Option<io::Result<Bytes>>,
    is_over: bool,
    tail: StreamTail,
}

/// The end of a stream that breaks off. Few answers need an encoder, so each one only names it.
pub(crate) struct StreamBreaker {
    /// The client's format; `None` if the gateway does not serve it.
    pub(crate) format: Option<Arc<dyn Server>>,
    pub(crate) framing: Framing,
    pub(crate) model: String,
}

impl StreamBreaker {
    /// Returns the media type of answers of the client's format.
    pub(crate) fn content_type(&self) -> &'static str {
        self.encoder().map_or("application/json", |encoder| encoder.content_type())
    }

    /// Encodes the error of the end; `None` for a body that is not a stream of events.
    fn encode(&self, reason: BreakReason) -> Option<Bytes> {
        let mut encoder = self.encoder().filter(|_| self.framing == Framing::Events)?;
        let mut bytes = b"\n\n".to_vec();
        encoder.push(&refusal::truncation_chunk(reason), &mut bytes).ok()?;
        Some(bytes.into())
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        let bare = Request::new(self.model.as_str(), Vec::new());
        let head = ResponseHead::new(new_id(), self.model.as_str(), now());
        Some(self.format.as_ref()?.encoder(&DecodedRequest::new(bare, self.framing), head))
    }
}

impl Stream for ForwardBody {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(bytes) = self.waiting.take() {
                return Poll::Ready(Some(bytes));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            let Poll::Ready(piece) = self.body.as_mut().poll_next(context) else {
                ready!(self.stop.poll_begin(context));
                self.break_off();
                continue;
            };
            match piece {
                Some(Ok(bytes)) => {
                    if let Some(tee) = &mut self.tee {
                        tee.push(&bytes);
                    }
                    if self.breaker.framing == Framing::Events {
                        self.tail.push(&bytes);
                    }
                    return Poll::Ready(Some(Ok(bytes)));
                }
                Some(Err(error)) => {
                    self.is_over = true;
                    let error = io::Error::other(format!("the provider's answer broke off: {error}"));
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    self.is_over = true;
                    if let Some(tee) = &mut self.tee {
                        tee.finish();
                    }
                    self.waiting = self.encode_truncation().map(Ok);
                }
            }
        }
    }
}

impl ForwardBody {
    pub(crate) fn new(body: RelayBody, tee: Option<Tee>, breaker: StreamBreaker, stop: StopSignal) -> Self {
        Self { body, tee, breaker, stop, waiting: None, is_over: false, tail: StreamTail::default() }
    }

    /// Encodes the error of a stream that its provider did not end; `None` for any other body.
    fn encode_truncation(&self) -> Option<Bytes> {
        let format = self.breaker.format.as_ref()?;
        // Gemini ends some whole answers without a reason, so it has no marks.
        let marks = format.end_marks()?;
        self.tail.is_truncated(&marks).then(|| self.breaker.encode(BreakReason::Upstream))?
    }

    /// Ends a stream with an error of the client's format. A body that is not a stream of events is aborted,
    /// so that the client does not take it for complete.
    fn break_off(&mut self) {
        self.is_over = true;
        let broken = || io::Error::other("the server shuts down; the answer is incomplete");
        self.waiting = Some(self.breaker.encode(BreakReason::Stopping).ok_or_else(broken));
    }
}

/// Returns the copy of an answer for its observers, or `None` without observers.
pub(crate) fn tee(observers: Vec<Box<dyn Observer>>, wire: &Arc<dyn Wire>, framing: Framing) -> Option<Tee> {
    (!observers.is_empty()).then(|| Tee::new(observers, wire.clone(), framing))
}

#[cfg(test)]
mod tests;
