//! Calls that begin while their answer still streams (L6).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::StreamExt;
use tokio::sync::Notify;
use windlass_agent::{Agent, ApproveAll, CallStart};
use windlass_protocol::{Effect, Hints, Payload, Request, StopReason, ToolName, ToolSpec};
use windlass_stream::{
    CallChunk, Chunk, ChunkStream, Model, ModelFuture, StreamError, StreamErrorKind, WholeCall,
};
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

/// A tool that either reads and reports its start, or changes something.
struct Probe {
    spec: ToolSpec,
    hints: Hints,
    begun: Arc<Notify>,
    times: Arc<AtomicU32>,
}

impl Probe {
    fn new(name: &str, hints: Hints, begun: &Arc<Notify>, times: &Arc<AtomicU32>) -> Arc<Self> {
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        let spec = ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema);
        Arc::new(Self { spec, hints, begun: begun.clone(), times: times.clone() })
    }
}

impl Tool for Probe {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        if self.hints.read_only {
            return vec![Effect::Read { path: "a.txt".into() }];
        }
        vec![Effect::Write { path: "a.txt".into(), bytes: None }]
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            self.times.fetch_add(1, Ordering::Relaxed);
            self.begun.notify_one();
            Ok(Output::text("seen"))
        })
    }
}

/// A model that emits a call, continues only when a call has started, and breaks off a number of times.
struct Waiting {
    call: &'static str,
    begun: Arc<Notify>,
    breaks: AtomicU32,
    asked: AtomicU32,
}

fn call(id: &str, name: &str) -> Chunk {
    let body = WholeCall::Arguments("{}".into());
    Chunk::Call(CallChunk::Whole { id: Some(id.into()), name: name.into(), body, opaque: None })
}

impl Model for Waiting {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let is_answered = request.messages.iter().any(|message| message.calls().next().is_some());
        let finish = |reason| Ok(Chunk::Finish { reason, raw: "raw".into() });
        if is_answered {
            let chunks = [Ok(Chunk::text("done")), finish(StopReason::End)];
            return Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks)) as ChunkStream) });
        }
        let breaks =
            self.breaks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        let begun = self.begun.clone();
        let first = futures_util::stream::iter([Ok(call("c1", self.call))]);
        let rest = futures_util::stream::once(async move {
            begun.notified().await;
            match breaks {
                Ok(_) => Ok(Chunk::Error { error: StreamError::new(StreamErrorKind::Server, None, "gone") }),
                Err(_) => Ok(Chunk::text("I go on.")),
            }
        });
        let end = futures_util::stream::iter([finish(StopReason::Calls)]);
        Box::pin(async { Ok(Box::pin(first.chain(rest).chain(end)) as ChunkStream) })
    }
}

struct Scene {
    model: Arc<Waiting>,
    begun: Arc<Notify>,
    times: Arc<AtomicU32>,
    toolbox: Toolbox,
}

fn scene(call: &'static str, breaks: u32) -> Scene {
    let (begun, times) = (Arc::new(Notify::new()), Arc::new(AtomicU32::new(0)));
    let model = Waiting { call, begun: begun.clone(), breaks: breaks.into(), asked: AtomicU32::new(0) };
    let toolbox = Toolbox::builder()
        .tool(Probe::new("look", Hints::read_only(), &begun, &times))
        .tool(Probe::new("change", Hints::default(), &begun, &times))
        .config(ToolConfig::new(Preset::Full))
        .build()
        .unwrap();
    Scene { model: Arc::new(model), begun, times, toolbox }
}

fn agent(scene: &Scene, start: CallStart) -> Agent {
    let builder = Agent::builder().model(scene.model.clone(), "model").toolbox(scene.toolbox.clone());
    builder.approver(ApproveAll).call_start(start).build().unwrap()
}

#[tokio::test]
async fn a_reading_call_runs_while_the_answer_streams() {
    let scene = scene("look", 0);
    // The model sends nothing more until the call has started: without the early start this would wait
    // forever.
    let report = agent(&scene, CallStart::Early).run("task").await.unwrap();
    assert_eq!((report.text(), scene.times.load(Ordering::Relaxed)), (Some("done"), 1));
}

// S10, L9
#[tokio::test]
async fn an_interrupted_answer_is_requested_again_and_its_call_runs_again() {
    let scene = scene("look", 2);
    let report = agent(&scene, CallStart::Early).run("task").await.unwrap();
    assert_eq!((report.text(), scene.times.load(Ordering::Relaxed)), (Some("done"), 3));
    assert_eq!(scene.model.asked.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn writing_calls_wait_for_the_end_of_the_answer_and_all_calls_wait_if_configured() {
    for (tool, start) in [("change", CallStart::Early), ("look", CallStart::AfterAnswer)] {
        let scene = scene(tool, 0);
        let agent = agent(&scene, start);
        let run = tokio::spawn(async move { agent.run("task").await.unwrap() });
        // Enough turns of the runtime for an early call to begin, if one were allowed.
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
        assert_eq!(scene.times.load(Ordering::Relaxed), 0, "{tool}");
        scene.begun.notify_one();
        assert_eq!(run.await.unwrap().text(), Some("done"));
        assert_eq!(scene.times.load(Ordering::Relaxed), 1);
    }
}
