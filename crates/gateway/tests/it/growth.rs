//! The work for a request and an answer grows with the number of their calls, messages and parts, not with its square.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use windlass_gateway::{ClientRequest, Gateway, Upstream};
use windlass_protocol::{
    Arguments, CallId, Message, Part, Request, ResultStatus, Role, StopReason, ToolCall, ToolName, ToolResult,
};
use windlass_stream::{CallChunk, Chunk, ChunkStream, Model, ModelFuture, WholeCall};
use windlass_wire::Wire;

use crate::formats::{Format, pairs};

/// A model that encodes each request as a client does, and answers with this number of calls.
struct Encoding {
    wire: Arc<dyn Wire>,
    answer: usize,
}

impl Model for Encoding {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            self.wire.encode(request).unwrap();
            let calls = (0..self.answer).map(|at| {
                Chunk::Call(CallChunk::Whole {
                    id: Some(format!("call_{at}")),
                    name: "read".into(),
                    body: WholeCall::Arguments(r#"{"path":"a"}"#.into()),
                    opaque: None,
                })
            });
            let end = Chunk::Finish { reason: StopReason::Calls, raw: "tool_calls".into() };
            let chunks: Vec<_> = calls.chain([end]).map(Ok).collect();
            Ok(Box::pin(futures_util::stream::iter(chunks)) as ChunkStream)
        })
    }
}

/// A server moves the future of each request several times.
#[test]
fn the_future_of_a_request_is_small() {
    let gateway = crate::canned::Canned::new(200, "application/json", "{}").gateway("openai-chat");
    let request = ClientRequest::new("/v1/chat/completions", "{}");
    let bytes = size_of_val(&gateway.answer(&request));
    assert!(bytes <= 4 << 10, "{bytes} bytes");
}

/// The part of a conversation that grows.
#[derive(Clone, Copy, Debug)]
enum Growing {
    /// Calls of one message, answered in reverse.
    Calls,
    /// Messages of the user and the model in turn.
    Messages,
    /// Parts of one message.
    Parts,
}

impl Growing {
    fn messages(self, count: usize) -> Vec<Message> {
        let text = |at: usize| Part::text(format!("text {at}"));
        match self {
            Self::Calls => calls(count),
            Self::Messages => (0..count)
                .map(|at| match at % 2 {
                    0 => Message::new(Role::User, vec![text(at)]),
                    _ => Message::new(Role::Assistant, vec![text(at)]),
                })
                .chain([Message::user("look")])
                .collect(),
            Self::Parts => vec![Message::new(Role::User, (0..count).map(text).collect())],
        }
    }
}

fn calls(count: usize) -> Vec<Message> {
    let id = |at: usize| CallId::new(format!("call_{at}")).unwrap();
    let call = |at| {
        let arguments = Arguments::parse(r#"{"path":"a"}"#).unwrap();
        Part::Call(ToolCall::function(id(at), ToolName::new("read").unwrap(), arguments))
    };
    let results = (0..count).rev().map(|at| ToolResult::text(id(at), ResultStatus::Ok, "fine"));
    vec![
        Message::user("look"),
        Message::new(Role::Assistant, (0..count).map(call).collect()),
        Message::results(results),
    ]
}

fn request(growing: Growing, count: usize) -> Request {
    let mut request = Request::new("m", growing.messages(count)).with_tools(crate::serve::tools());
    request.options.max_output_tokens = Some(64);
    request
}

#[expect(clippy::disallowed_methods, reason = "it measures time")]
async fn time((front, behind): (&Format, &Format), growing: Growing, count: usize) -> Duration {
    let sent = front.wire.encode(&request(growing, count)).unwrap();
    let model = Arc::new(Encoding { wire: behind.wire.clone(), answer: count });
    let gateway = Gateway::new(Upstream::new(model, behind.wire.clone())).with_server(front.server.clone());
    let began = Instant::now();
    let mut answer = gateway.answer(&ClientRequest::new(sent.path, sent.body)).await;
    assert_eq!(answer.status, 200);
    while let Some(bytes) = answer.body.next().await {
        bytes.unwrap();
    }
    began.elapsed()
}

async fn check(growing: Growing) {
    /// Eight times the size may take up to 24 times as long, because caches and allocators are not linear. Quadratic
    /// work takes 64 times as long.
    const FEW: usize = 500;
    const MOST: f64 = 24.0;
    for (front, behind) in pairs() {
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let few = time((&front, &behind), growing, FEW).await.as_secs_f64();
            let many = time((&front, &behind), growing, FEW * 8).await.as_secs_f64();
            least = least.min(many / few);
            if least < MOST {
                break;
            }
        }
        assert!(least < MOST, "{growing:?}, {} before {}: {least}", front.name(), behind.name());
    }
}

// security 24
#[tokio::test]
async fn work_is_linear_in_the_calls_of_a_message() {
    check(Growing::Calls).await;
}

#[tokio::test]
async fn work_is_linear_in_the_messages_of_a_conversation() {
    check(Growing::Messages).await;
}

#[tokio::test]
async fn work_is_linear_in_the_parts_of_a_message() {
    check(Growing::Parts).await;
}
