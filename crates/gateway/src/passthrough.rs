//! Exchanges within one format: the client's bytes go to the provider, and the provider's bytes come back.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::value::RawValue;
use windlass_protocol::{Delivery, Message, Request};
use windlass_wire::{EncodeError, Encoder, Framing, HeaderDirection, HttpRequest, Outline, Server, Wire};

use crate::ClientRequest;
use crate::answer::ResponseBody;
use crate::headers::select_headers;
use crate::hook::Observer;
use crate::refusal::{self, BreakReason};
use crate::relay::{RelayBody, RelayRequest};
use crate::stop::Stop;
use crate::tee::Tee;

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
) -> Result<RelayRequest, EncodeError> {
    let model = name.unwrap_or(&outline.model);
    let HttpRequest { path, headers, .. } = address(wire, model, outline.framing)?;
    let body = if model == outline.model { request.body.clone() } else { rename(&request.body, model) };
    let mut headers: Vec<_> =
        headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    let own = select_headers(HeaderDirection::Up, server, &request.headers);
    headers.retain(|(name, _)| own.iter().all(|(given, _)| given != name));
    headers.extend(own);
    let bare = path.split('?').next().unwrap_or_default();
    let path = match query(&request.path) {
        query if query.is_empty() => bare.to_owned(),
        query => format!("{bare}?{query}"),
    };
    Ok(RelayRequest { path, headers, body, is_streamed: outline.framing != Framing::Whole })
}

/// Returns the path and the headers of the format for a model.
fn address(wire: &dyn Wire, model: &str, framing: Framing) -> Result<HttpRequest, EncodeError> {
    let delivery = if framing == Framing::Whole { Delivery::Whole } else { Delivery::Stream };
    wire.encode(&Request::new(model, vec![Message::user("-")]).with_delivery(delivery))
}

/// Returns the query of a path without keys: the client's key is for the gateway.
fn query(path: &str) -> String {
    let query = path.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let is_key = |pair: &&str| matches!(pair.split('=').next(), Some("key" | "access_token"));
    query.split('&').filter(|pair| !pair.is_empty() && !is_key(pair)).collect::<Vec<_>>().join("&")
}

/// Replaces the value of the body's `model` and leaves all other bytes. A body without one is unchanged.
fn rename(body: &Bytes, model: &str) -> Bytes {
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
    pub(crate) body: RelayBody,
    pub(crate) tee: Option<Tee>,
    /// Writes the error of a stream that the server's stop ends.
    pub(crate) encoder: Box<dyn Encoder>,
    pub(crate) framing: Framing,
    pub(crate) stop: Stop,
    pub(crate) waiting: VecDeque<io::Result<Bytes>>,
    pub(crate) is_over: bool,
}

impl ForwardBody {
    pub(crate) fn body(self) -> ResponseBody {
        Box::pin(stream::unfold(self, |mut forwarding| async move {
            let bytes = forwarding.next().await?;
            Some((bytes, forwarding))
        }))
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if let Some(bytes) = self.waiting.pop_front() {
                return Some(bytes);
            }
            if self.is_over {
                return None;
            }
            let piece = tokio::select! {
                biased;
                piece = self.body.next() => piece,
                () = self.stop.wait() => {
                    self.break_off();
                    continue;
                }
            };
            match piece {
                Some(Ok(bytes)) => {
                    if let Some(tee) = &mut self.tee {
                        tee.push(&bytes);
                    }
                    return Some(Ok(bytes));
                }
                Some(Err(error)) => {
                    self.is_over = true;
                    return Some(Err(io::Error::other(format!("the provider's answer broke off: {error}"))));
                }
                None => {
                    self.is_over = true;
                    if let Some(tee) = &mut self.tee {
                        tee.finish();
                    }
                }
            }
        }
    }

    /// Ends a stream with an error of the client's format. A body that is not a stream of events is aborted,
    /// so that the client does not take it for complete.
    fn break_off(&mut self) {
        self.is_over = true;
        let mut bytes = b"\n\n".to_vec();
        let chunk = refusal::truncation_chunk(BreakReason::Stopping);
        if self.framing == Framing::Events && self.encoder.push(&chunk, &mut bytes).is_ok() {
            self.waiting.push_back(Ok(bytes.into()));
            return;
        }
        self.waiting.push_back(Err(io::Error::other("the server shuts down; the answer is incomplete")));
    }
}

/// Returns the copy of an answer for its observers, or `None` without observers.
pub(crate) fn tee(observers: Vec<Box<dyn Observer>>, wire: &Arc<dyn Wire>, framing: Framing) -> Option<Tee> {
    (!observers.is_empty()).then(|| Tee::new(observers, wire.clone(), framing))
}

#[cfg(test)]
mod tests;
