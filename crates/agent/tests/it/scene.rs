//! A model with a script, and tools that count.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use windlass_agent::{Agent, AgentBuilder, Event, EventStream};
use windlass_journal::{Durability, Journal, JournalError, MemoryJournal, Record};
use windlass_mock::{Script, ScriptedModel};
use windlass_protocol::{Effect, Hints, Payload, RawJson, ToolName, ToolProtocol, ToolSpec};
use windlass_text_calls::Dialect;
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_tools_control::AttemptCompletion;
use windlass_vendors::WireFormat;
use windlass_wire::Wire;

/// A tool that counts its calls; `wait` never ends by itself.
pub(crate) struct Counting {
    spec: ToolSpec,
    hints: Hints,
    effect: Effect,
    waits: bool,
    pub(crate) calls: Arc<AtomicUsize>,
    pub(crate) dropped: Arc<AtomicUsize>,
}

struct OnDrop(Arc<AtomicUsize>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Counting {
    pub(crate) fn new(name: &str, hints: Hints, effect: Effect) -> Self {
        let spec = ToolSpec::function(
            ToolName::new(name).unwrap(),
            "A tool.",
            r#"{"type":"object"}"#.parse().unwrap(),
        );
        Self { spec, hints, effect, waits: name == "wait", calls: Arc::default(), dropped: Arc::default() }
    }
}

impl Tool for Counting {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![self.effect.clone()]
    }

    fn call<'a>(&'a self, ctx: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::SeqCst);
            let _on_drop = OnDrop(self.dropped.clone());
            if self.waits {
                ctx.cancellation().cancelled().await;
                return Ok(Output::text("stopped").with_status(windlass_protocol::ResultStatus::Cancelled));
            }
            Ok(Output::text("fine"))
        })
    }
}

pub(crate) struct Scene {
    pub(crate) read: Arc<Counting>,
    pub(crate) write: Arc<Counting>,
    pub(crate) wait: Arc<Counting>,
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) way: Way,
    has_completion: bool,
}

/// A wire format, and how calls travel in it.
#[derive(Clone)]
pub(crate) struct Way {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) protocol: ToolProtocol,
}

/// Native calls in the first format.
pub(crate) fn way() -> Way {
    Way { wire: WireFormat::default_format().wire.clone(), protocol: ToolProtocol::Native }
}

/// Every format with every protocol (RULES P5).
pub(crate) fn ways() -> Vec<Way> {
    let wires = WireFormat::all().iter().map(|format| &format.wire);
    let protocols = [ToolProtocol::Native, ToolProtocol::Structured, ToolProtocol::Text];
    let ways = wires.flat_map(|wire| protocols.map(|protocol| Way { wire: wire.clone(), protocol }));
    ways.collect()
}

impl Way {
    /// True for native calls whose ids appear in the requests.
    pub(crate) fn has_native_ids(&self) -> bool {
        self.protocol == ToolProtocol::Native && ["openai-chat", "anthropic"].contains(&self.wire.name())
    }

    /// True if arguments arrive in pieces.
    pub(crate) fn streams_arguments(&self) -> bool {
        self.protocol != ToolProtocol::Native || self.wire.name() != "gemini"
    }

    /// A model that follows the script in this way.
    pub(crate) fn model(&self, script: &str) -> ScriptedModel {
        let script = Script::parse(script).unwrap();
        let script = match self.protocol {
            ToolProtocol::Native => script,
            ToolProtocol::Structured => script.to_text_calls(Dialect::Structured),
            ToolProtocol::Text => script.to_text_calls(Dialect::Roo),
        };
        ScriptedModel::new(script, self.wire.clone())
    }
}

impl Scene {
    pub(crate) fn new(script: &str, way: Way) -> Self {
        let inside = |path: &str| path.to_owned();
        Self {
            read: Arc::new(Counting::new("look", Hints::read_only(), Effect::Read { path: inside("a") })),
            write: Arc::new(Counting::new(
                "change",
                Hints::default(),
                Effect::Write { path: inside("a"), bytes: None },
            )),
            wait: Arc::new(Counting::new("wait", Hints::default(), Effect::Internal)),
            model: Arc::new(way.model(script)),
            way,
            has_completion: true,
        }
    }

    /// Leaves out the completion tool, so that an answer without calls ends a task.
    pub(crate) fn without_completion(mut self) -> Self {
        self.has_completion = false;
        self
    }

    pub(crate) fn builder(&self) -> AgentBuilder {
        let mut tools: Vec<Arc<dyn Tool>> = vec![self.read.clone(), self.write.clone(), self.wait.clone()];
        if self.has_completion {
            tools.push(Arc::new(AttemptCompletion::default()));
        }
        let config = ToolConfig::new(Preset::Full);
        let toolbox = Toolbox::builder().tools(tools).config(config).build().unwrap();
        let builder = Agent::builder().model(self.model.clone(), "scripted-1").protocols([self.way.protocol]);
        builder.toolbox(toolbox)
    }
}

pub(crate) async fn events(mut stream: EventStream) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event.unwrap());
    }
    events
}

/// A journal whose records a test can read, and that can be made to fail.
#[derive(Clone, Default)]
pub(crate) struct Shared {
    pub(crate) inner: Arc<Mutex<MemoryJournal>>,
    pub(crate) fails_at: Option<u64>,
}

impl Journal for Shared {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let mut inner = self.inner.lock().unwrap();
        if self.fails_at.is_some_and(|at| inner.records().unwrap().len() as u64 >= at) {
            return Err(JournalError::Locked { path: "full".into() });
        }
        inner.append(body, at_ms, durability)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.inner.lock().unwrap().records()
    }
}
