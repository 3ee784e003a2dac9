//! Calls that toolbox or policy refuse while the model still writes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt, stream};
use windlass_agent::{Agent, Event};
use windlass_protocol::{Effect, Hints, Payload, Request, ResultStatus, StopReason, ToolName, ToolSpec};
use windlass_stream::{CallChunk, CallKey, Chunk, ChunkStream, Model, ModelFuture};
use windlass_tool::{Context, EarlyArguments, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use crate::scene::events;

const LINES: usize = 5_000;

/// Writes one long file at a given path, then completes.
struct Writer {
    path: &'static str,
    answers: AtomicUsize,
    /// The number of chunks taken from the model.
    written: Arc<AtomicUsize>,
}

impl Model for Writer {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        let mut chunks = Vec::new();
        if self.answers.fetch_add(1, Ordering::SeqCst) == 0 {
            let key = CallKey(0);
            let delta = |text: &str| Chunk::Call(CallChunk::Delta { key, arguments: text.into() });
            let name = "write".into();
            chunks.push(Chunk::Call(CallChunk::Start { key, id: Some("c1".into()), name, opaque: None }));
            chunks.push(delta(&format!("{{\"path\":{},\"content\":\"", self.path)));
            chunks.extend((0..LINES).map(|_| delta("a line of it\\n")));
            chunks.push(delta("\"}"));
            chunks.push(Chunk::Finish { reason: StopReason::Calls, raw: "tool_calls".into() });
        } else {
            chunks.push(Chunk::text("done"));
            chunks.push(Chunk::Finish { reason: StopReason::End, raw: "stop".into() });
        }
        let written = self.written.clone();
        let chunks = stream::iter(chunks).map(move |chunk| {
            written.fetch_add(1, Ordering::SeqCst);
            Ok(chunk)
        });
        Box::pin(async move { Ok(Box::pin(chunks) as ChunkStream) })
    }
}

/// Writes nothing, but declares the path that it would write.
struct Write(ToolSpec);

impl Write {
    fn new() -> Self {
        let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},
            "required":["path","content"],"additionalProperties":false}"#;
        Self(ToolSpec::function(ToolName::new("write").unwrap(), "Writes.", schema.parse().unwrap()))
    }
}

impl Tool for Write {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Unknown]
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        complete
            .text("path")
            .map(|path| Effect::Write { path: path.into(), bytes: None })
            .into_iter()
            .collect()
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async { Ok(Output::text("written")) })
    }
}

/// Returns the number of chunks taken from the long answer, and the status and text of the call's result.
async fn run(path: &'static str) -> (usize, ResultStatus, String) {
    let written = Arc::new(AtomicUsize::new(0));
    let model = Writer { path, answers: AtomicUsize::new(0), written: written.clone() };
    let tools: [Arc<dyn Tool>; 1] = [Arc::new(Write::new())];
    let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build().unwrap();
    let agent = Agent::builder().model(model, "writer").toolbox(toolbox).build().unwrap();
    let events = events(agent.stream("write it")).await;
    assert!(matches!(events.last(), Some(Event::Finished { .. })));
    let result = events.iter().find_map(|event| match event {
        Event::CallEnded { result } => Some((result.status, result.wire_text())),
        _ => None,
    });
    let (status, text) = result.unwrap();
    (written.load(Ordering::SeqCst).saturating_sub(2), status, text)
}

#[tokio::test]
async fn a_path_outside_of_the_workspace_is_refused_before_the_content_has_streamed() {
    let (taken, status, text) = run("\"../../etc/passwd\"").await;
    assert_eq!(status, ResultStatus::Denied);
    assert!(text.contains("f.outside_write"), "{text}");
    // The chunks in the bounded channel are lost, and the model does not write the rest.
    assert!(taken < LINES / 10, "{taken} of {LINES} chunks were taken");
}

// J10
#[tokio::test]
async fn an_argument_of_the_wrong_type_is_refused_before_the_rest_has_streamed() {
    let (taken, status, text) = run("17").await;
    assert_eq!(status, ResultStatus::InvalidArguments);
    assert!(text.contains("/path: found the number 17, expected a string"), "{text}");
    assert!(taken < LINES / 10, "{taken} of {LINES} chunks were taken");
}

#[tokio::test]
async fn a_call_that_may_run_streams_to_its_end() {
    let (taken, status, _) = run("\"src/a.rs\"").await;
    // No approver is present.
    assert_eq!(status, ResultStatus::Denied);
    assert!(taken >= LINES, "{taken} of {LINES} chunks were taken");
}
