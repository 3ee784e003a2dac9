//! Conversations that are longer than the model's window.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_agent::{Event, Outcome};
use windlass_protocol::{Request, StopReason};
use windlass_stream::{
    CallChunk, Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture, WholeCall,
};
use windlass_wire::check_pairing;

use crate::scene::{Scene, events, way};

/// A model that refuses requests with more than a number of messages, as a provider refuses a long prompt,
/// and reads twelve times before it completes.
#[derive(Default)]
struct Short {
    answers: AtomicUsize,
    /// Refusals since a request was taken.
    in_a_row: AtomicUsize,
    refused: Arc<AtomicUsize>,
}

const LONGEST: usize = 9;
const ANSWERS: usize = 12;

impl Model for Short {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        check_pairing(&request.messages).unwrap();
        assert_eq!(request.messages.first().unwrap().text(), "task");
        if request.messages.len() > LONGEST {
            self.refused.fetch_add(1, Ordering::SeqCst);
            assert_eq!(self.in_a_row.fetch_add(1, Ordering::SeqCst), 0, "once more, and not again and again");
            return Box::pin(async {
                Err(ModelError::new(
                    ModelErrorKind::ContextLength,
                    "prompt is too long: 200001 tokens > 200000",
                ))
            });
        }
        self.in_a_row.store(0, Ordering::SeqCst);
        let number = self.answers.fetch_add(1, Ordering::SeqCst);
        let (name, arguments) = if number < ANSWERS {
            ("look", format!(r#"{{"n":{number}}}"#))
        } else {
            ("attempt_completion", r#"{"result":"done"}"#.to_owned())
        };
        let call = CallChunk::Whole {
            id: Some(format!("c{number}")),
            name: name.into(),
            body: WholeCall::Arguments(arguments),
            opaque: None,
        };
        let chunks =
            [Chunk::Call(call), Chunk::Finish { reason: StopReason::Calls, raw: "tool_calls".into() }];
        Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks.map(Ok))) as ChunkStream) })
    }
}

// F23: after the refusal the conversation is shortened and sent once more, and no call is separated from its result.
#[tokio::test]
async fn a_prompt_too_long_error_compacts_the_context() {
    let scene = Scene::new(r#"{"turns": []}"#, way());
    let model = Short::default();
    let refused = model.refused.clone();
    let agent = scene.builder().model(model, "short").build().unwrap();
    let told = events(agent.stream("task")).await;
    let shortened =
        told.iter().filter(|event| matches!(event, Event::ContextCompacted { messages: 1.., .. })).count();
    assert_eq!(refused.load(Ordering::SeqCst), shortened);
    assert!(shortened >= 2);
    let outcome = told.last();
    assert!(
        matches!(outcome, Some(Event::Finished { outcome: Outcome::Completed { .. }, .. })),
        "{outcome:?}"
    );
}
