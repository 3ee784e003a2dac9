//! The memory that a translated request holds while its model answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use windlass_protocol::{Request, StopReason};
use windlass_stream::{Chunk, ChunkStream, Model, ModelFuture};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_openai_chat::OpenAiChat;

use crate::gateway::RequestSummary;
use crate::stop::Stop;
use crate::{ClientRequest, Gateway, Upstream};

/// The memory of a body. It records when it is freed.
struct Owner {
    body: Vec<u8>,
    is_freed: Arc<AtomicBool>,
}

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.is_freed.store(true, Ordering::Relaxed);
    }
}

/// A model that records whether the client's body is freed, and the number of references to each message.
struct Witness {
    is_freed: Arc<AtomicBool>,
    notes: Mutex<Vec<(bool, Vec<usize>)>>,
}

impl Model for Witness {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        let messages = &request.messages;
        let shared = (0..messages.len()).filter_map(|at| messages.get_shared(at));
        let holders = shared.map(Arc::strong_count).collect();
        self.notes.lock().unwrap().push((self.is_freed.load(Ordering::Relaxed), holders));
        let chunks = [Chunk::text("hi"), Chunk::Finish { reason: StopReason::End, raw: "stop".into() }];
        Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks.map(Ok))) as ChunkStream) })
    }
}

#[tokio::test]
async fn a_decoded_body_is_freed_and_its_conversation_has_one_holder() {
    let body = r#"{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"},
        {"role":"assistant","content":"hello"},{"role":"user","content":"go on"}]}"#;
    let is_freed = Arc::new(AtomicBool::new(false));
    let model = Arc::new(Witness { is_freed: is_freed.clone(), notes: Mutex::default() });
    let upstream = Upstream::new(model.clone(), Arc::new(Anthropic::default()));
    let gateway = Gateway::new(upstream).with_server(Arc::new(OpenAiChat::default()));
    let owner = Owner { body: body.into(), is_freed };
    let request = ClientRequest::new("/v1/chat/completions", Bytes::from_owner(owner));
    let summary = RequestSummary::read(&request);
    let answer = gateway.answer_until(request, summary, Stop::default()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(*model.notes.lock().unwrap(), [(true, vec![1, 1, 1])]);
}
