//! A scripted model whose calls may be free text, for tools that take a patch instead of JSON.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream;
use serde_json::{Value, json};
use windlass_mock::{Script, ScriptedModel};
use windlass_protocol::{Payload, Request, StopReason};
use windlass_stream::{
    CallChunk, Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture, WholeCall,
};
use windlass_wire::Wire as _;
use windlass_wire_openai_chat::{OpenAiChat, OpenAiChatOptions};

/// A scripted model that uses a real wire format, except for free-text calls, which it emits directly.
pub(crate) struct Speaker {
    scripted: ScriptedModel,
    /// The free-text calls of each turn: name, id and text.
    free: Vec<Option<Vec<(String, String, String)>>>,
    requests: Mutex<Vec<Value>>,
}

impl Speaker {
    /// Creates the model. A call with `free_text` instead of arguments is emitted as that text.
    pub(crate) fn new(turns: &[Vec<Value>]) -> anyhow::Result<Self> {
        let free = turns.iter().map(|steps| {
            let calls: Vec<_> = steps.iter().filter_map(free_call).collect();
            (!calls.is_empty()).then_some(calls)
        });
        let turns: Vec<_> = turns.iter().map(|steps| json!({"steps": plain(steps), "piece": 4096})).collect();
        let script = json!({"turns": turns, "fallback": "That is all."});
        let wire = OpenAiChat::new(OpenAiChatOptions::default());
        let scripted = ScriptedModel::new(Script::parse(&script.to_string())?, Arc::new(wire));
        Ok(Self { scripted, free: free.collect(), requests: Mutex::default() })
    }

    /// Returns the requests as the wire format encodes them.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, body: &Value) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(body.clone());
    }
}

fn free_call(step: &Value) -> Option<(String, String, String)> {
    let call = step.get("call")?;
    let word = |name: &str| Some(call.get(name)?.as_str()?.to_owned());
    Some((word("name")?, word("id").unwrap_or_else(|| "call_1".to_owned()), word("free_text")?))
}

impl Model for Speaker {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let http = OpenAiChat::new(OpenAiChatOptions::default()).encode(request).map_err(|error| {
                ModelError::new(ModelErrorKind::Refused, error.to_string()).with_source(error)
            })?;
            let body: Value = serde_json::from_slice(&http.body).unwrap_or_default();
            self.note(&body);
            let said = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("assistant");
            let messages = body.get("messages").and_then(Value::as_array);
            let turn = messages.map_or(0, |messages| messages.iter().filter(said).count());
            match self.free.get(turn) {
                Some(Some(calls)) => Ok(stream_calls(calls)),
                _ => self.scripted.stream(request).await,
            }
        })
    }
}

fn stream_calls(calls: &[(String, String, String)]) -> ChunkStream {
    let mut chunks: Vec<Result<Chunk, ModelError>> = Vec::new();
    for (name, id, text) in calls {
        let body = WholeCall::Payload(Payload::Custom { input: text.clone() });
        let call = CallChunk::Whole { id: Some(id.clone()), name: name.clone(), body, opaque: None };
        chunks.push(Ok(Chunk::Call(call)));
    }
    chunks.push(Ok(Chunk::Finish { reason: StopReason::Calls, raw: "tool_calls".to_owned() }));
    Box::pin(stream::iter(chunks))
}

/// Returns the steps for the wire format, with free-text calls replaced by text.
fn plain(steps: &[Value]) -> Vec<Value> {
    let word = |step: &Value| match free_call(step) {
        Some((name, ..)) => json!({"text": format!("calls {name}")}),
        None => step.clone(),
    };
    steps.iter().map(word).collect()
}
