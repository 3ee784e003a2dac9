//! A model that answers from a script, without a network but through real bytes.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream;
use serde_json::Value;
use windlass_model::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};
use windlass_protocol::Request;
use windlass_stream::Chunk;
use windlass_wire::{Limits, Wire};

use crate::conversation;
use crate::render::Dialect;
use crate::script::Script;

/// A model that answers from a script: the request is encoded, checked as the provider would check it, and the
/// answer is rendered to the provider's bytes and decoded from them.
#[derive(Clone)]
pub struct ScriptedModel {
    script: Arc<Script>,
    wire: Arc<dyn Wire>,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl ScriptedModel {
    /// A model of a script that speaks a wire format.
    pub fn new(script: Script, wire: Arc<dyn Wire>) -> Self {
        Self { script: Arc::new(script), wire, requests: Arc::default() }
    }

    /// The bodies of the requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn answer(&self, request: &Request) -> Result<Vec<Chunk>, ModelError> {
        let refused = |text: String| ModelError::new(ModelErrorKind::Refused, text);
        let dialect = Dialect::of(self.wire.name())
            .ok_or_else(|| refused(format!("no script speaks {}", self.wire.name())))?;
        let http = self.wire.encode(request).map_err(|error| refused(error.to_string()))?;
        let body: Value = serde_json::from_slice(&http.body).map_err(|error| refused(error.to_string()))?;
        conversation::check(dialect, &body)
            .map_err(|(status, _, text)| refused(format!("{status}: {text}")))?;
        let number = conversation::turn(&body);
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(body);
        let mut decoder = self.wire.decoder(Limits::default());
        let mut chunks = Vec::new();
        for frame in dialect.frames(&self.script.turn(number), number) {
            decoder.push(&frame, &mut chunks).map_err(|error| refused(error.to_string()))?;
        }
        decoder.finish(&mut chunks).map_err(|error| refused(error.to_string()))?;
        Ok(chunks)
    }
}

impl Model for ScriptedModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let chunks = self.answer(request)?;
            Ok(Box::pin(stream::iter(chunks.into_iter().map(Ok))) as ChunkStream)
        })
    }
}
