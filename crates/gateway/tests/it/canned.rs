//! A provider with a fixed answer, which keeps the requests that it receives.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde_json::Value;
use windlass_client::{Client, Endpoint, Transport, TransportFuture, TransportRequest, TransportResponse};
use windlass_gateway::{ClientRequest, Gateway, GatewayResponse, Upstream};

use crate::formats::{format, formats};

/// A transport with one answer.
#[derive(Clone)]
pub(crate) struct Canned {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
    /// The size of the pieces in which the body arrives.
    piece: usize,
    seen: Arc<Mutex<Vec<TransportRequest>>>,
}

impl Canned {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { status, headers, body: body.into(), piece: 7, seen: Arc::default() }
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn with_piece(mut self, piece: usize) -> Self {
        self.piece = piece;
        self
    }

    /// The requests that arrived.
    pub(crate) fn seen(&self) -> Vec<TransportRequest> {
        self.seen.lock().unwrap().clone()
    }

    /// Returns the received requests and removes them here.
    pub(crate) fn take_seen(&self) -> Vec<TransportRequest> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    /// The last body that arrived.
    pub(crate) fn body(&self) -> Value {
        serde_json::from_slice(&self.seen().last().unwrap().body).unwrap()
    }

    /// Returns a gateway to this provider, with a format and without the row of a vendor.
    pub(crate) fn gateway(&self, wire: &str) -> Gateway {
        self.gateway_at(Endpoint::custom("http://upstream.example/v1", wire), wire)
    }

    /// Returns a gateway to this provider with the row of a vendor.
    pub(crate) fn gateway_at(&self, endpoint: Endpoint, wire: &str) -> Gateway {
        gateway_of(self.upstream(endpoint, wire))
    }

    /// A gateway whose upstream has a name in measurements.
    pub(crate) fn gateway_labelled(&self, wire: &str, label: &str) -> Gateway {
        let endpoint = Endpoint::custom("http://upstream.example/v1", wire);
        gateway_of(self.upstream(endpoint, wire).with_label(label))
    }

    fn upstream(&self, endpoint: Endpoint, wire: &str) -> Upstream {
        let builder = Client::builder(endpoint, format(wire).wire.clone());
        let client = builder.key(Some("sk-gateway-key".into())).transport(self.clone()).build().unwrap();
        Upstream::from_client(client)
    }
}

fn gateway_of(upstream: Upstream) -> Gateway {
    formats().into_iter().fold(Gateway::new(upstream), |gateway, format| gateway.with_server(format.server))
}

impl Transport for Canned {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        self.seen.lock().unwrap().push(request);
        let pieces: Vec<_> =
            self.body.chunks(self.piece).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let response =
            TransportResponse::new(self.status, self.headers.clone(), Box::pin(stream::iter(pieces)));
        Box::pin(async { Ok(response) })
    }
}

/// The bytes of an answer.
pub(crate) async fn bytes(answer: GatewayResponse) -> Vec<u8> {
    let mut body = answer.body;
    let mut all = Vec::new();
    while let Some(piece) = body.next().await {
        all.extend(piece.unwrap());
    }
    all
}

pub(crate) async fn text(answer: GatewayResponse) -> String {
    String::from_utf8(bytes(answer).await).unwrap()
}

pub(crate) async fn json(answer: GatewayResponse) -> Value {
    serde_json::from_slice(&bytes(answer).await).unwrap()
}

pub(crate) fn post(path: &str, body: &Value) -> ClientRequest {
    ClientRequest::new(path, body.to_string())
}

/// The value of a header.
pub(crate) fn header<'a>(answer: &'a GatewayResponse, name: &str) -> Option<&'a str> {
    answer.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
}

/// A whole answer of Chat Completions with one word.
pub(crate) const CHAT_WORD: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"up","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}"#;

/// A whole answer of Gemini with one word.
pub(crate) const GEMINI_WORD: &str = r#"{"candidates":[{"content":{"parts":[{"text":"hi"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"totalTokenCount":4}}"#;

/// A whole answer of Anthropic with one word.
pub(crate) const ANTHROPIC_WORD: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"up","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}"#;
