//! A transport without a network: it returns responses in order, and stores the requests with their times.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::time::Instant;
use windlass_client::{
    Client, ClientBuilder, Transport, TransportFuture, TransportRequest, TransportResponse, Vendors,
};

/// The response to one request.
#[derive(Clone, Default)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    /// The body's pieces, each after a wait.
    pieces: Vec<(Duration, String)>,
}

/// A transport that returns the answers in turn and repeats the last one.
#[derive(Clone)]
pub(crate) struct Canned {
    answers: Arc<Vec<Answer>>,
    sent: Arc<Mutex<Vec<(Instant, TransportRequest)>>>,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<String>) -> Self {
        Self { status, headers: Vec::new(), pieces: vec![(Duration::ZERO, body.into())] }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn then(mut self, wait: Duration, piece: &str) -> Self {
        self.pieces.push((wait, piece.to_owned()));
        self
    }
}

impl Canned {
    pub(crate) fn new(answers: Vec<Answer>) -> Self {
        Self { answers: Arc::new(answers), sent: Arc::default() }
    }

    /// Returns a builder for a client of a vendor that uses this transport.
    pub(crate) fn client(&self, vendor: &str) -> ClientBuilder {
        Client::vendor(Vendors::builtin().get(vendor).unwrap().clone()).transport(self.clone())
    }

    /// The time of each request after the first.
    pub(crate) fn times(&self) -> Vec<Duration> {
        let sent = self.sent.lock().unwrap();
        sent.iter().map(|(at, _)| *at - sent[0].0).collect()
    }

    pub(crate) fn models(&self) -> Vec<String> {
        let model = |request: &TransportRequest| -> String {
            let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
            body["model"].as_str().unwrap().to_owned()
        };
        self.sent.lock().unwrap().iter().map(|(_, request)| model(request)).collect()
    }
}

impl Transport for Canned {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        let mut sent = self.sent.lock().unwrap();
        let answer = self.answers.get(sent.len()).or(self.answers.last()).unwrap().clone();
        sent.push((Instant::now(), request));
        Box::pin(async move {
            let pieces = stream::iter(answer.pieces).then(|(wait, piece)| async move {
                tokio::time::sleep(wait).await;
                Ok(Bytes::from(piece))
            });
            Ok(TransportResponse::new(answer.status, answer.headers, Box::pin(pieces)))
        })
    }
}
