//! A model that plays every part from its prompt, tools that count, and the agent at the root.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use windlass_agent::{Agent, AgentBuilder, Event, EventStream, Outcome};
use windlass_hitl::{Action, EffectKind, Policy, Rule, RuleFile, Source};
use windlass_journal::{Durability, Journal, JournalError, MemoryJournal, MemoryJournals, Record};
use windlass_protocol::{
    Concurrency, Effect, Hints, Payload, RawJson, Request, Role, StopReason, ToolName, ToolSpec, Usage,
};
use windlass_stream::{CallChunk, Chunk, ChunkStream, Model, ModelFuture, WholeCall};
use windlass_subagent::{AgentDefinition, SubAgents};
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox, WorkModes};

/// The text of a part in one answer.
#[derive(Clone)]
pub(crate) enum Line {
    Says(&'static str),
    Calls(Vec<(&'static str, &'static str, Value)>),
    Panics,
}

pub(crate) fn says(text: &'static str) -> Line {
    Line::Says(text)
}

pub(crate) fn calls<const N: usize>(calls: [(&'static str, &'static str, Value); N]) -> Line {
    Line::Calls(calls.into())
}

/// Returns a call that hands a task to an agent.
pub(crate) fn hand(id: &'static str, tool: &'static str) -> (&'static str, &'static str, Value) {
    (id, tool, json!({"task": format!("do {id}")}))
}

/// Plays each part: the system prompt selects it, and the conversation shows its progress. So its answers are
/// equal in every process.
#[derive(Default)]
pub(crate) struct Cast {
    parts: BTreeMap<&'static str, Vec<Line>>,
    pub(crate) requests: Mutex<Vec<(String, Request)>>,
}

impl Cast {
    pub(crate) fn new<const N: usize>(parts: [(&'static str, Vec<Line>); N]) -> Arc<Self> {
        Arc::new(Self { parts: parts.into(), requests: Mutex::default() })
    }

    fn part(&self, request: &Request) -> &'static str {
        let system = request.system.clone().unwrap_or_default();
        let named = |part: &&&'static str| system.contains(&format!("PART {part}."));
        self.parts.keys().find(named).copied().unwrap_or("root")
    }

    /// The names of the tools that a part was offered first.
    pub(crate) fn offered(&self, part: &str) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let (_, request) = requests.iter().find(|(of, _)| of == part).unwrap();
        request.tools.iter().map(|tool| tool.name().to_string()).collect()
    }

    /// The texts of all results that a part received.
    pub(crate) fn told(&self, part: &str) -> String {
        let requests = self.requests.lock().unwrap();
        let last = requests.iter().rev().find(|(of, _)| of == part);
        let messages = last.map(|(_, request)| request.messages.clone()).unwrap_or_default();
        let results = messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
            windlass_protocol::Part::Result(result) => Some(result.wire_text()),
            _ => None,
        });
        results.collect::<Vec<_>>().join("\n")
    }
}

impl Model for Cast {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let part = self.part(request);
            self.requests.lock().unwrap().push((part.to_owned(), request.clone()));
            let said = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
            let line = self.parts.get(part).and_then(|lines| lines.get(said)).cloned();
            let usage = Usage { input_tokens: 90, output_tokens: 10, ..Usage::default() };
            let mut chunks = vec![Chunk::Usage { usage }];
            let reason = match line.unwrap_or(Line::Says("nothing more")) {
                Line::Panics => panic!("the model breaks"),
                Line::Says(text) => {
                    chunks.push(Chunk::text(text));
                    StopReason::End
                }
                Line::Calls(calls) => {
                    chunks.extend(calls.into_iter().map(|(id, name, arguments)| {
                        Chunk::Call(CallChunk::Whole {
                            id: Some(id.into()),
                            name: name.into(),
                            body: WholeCall::Arguments(arguments.to_string()),
                            opaque: None,
                        })
                    }));
                    StopReason::Calls
                }
            };
            chunks.push(Chunk::Finish { reason, raw: "end".into() });
            Ok(Box::pin(stream::iter(chunks.into_iter().map(Ok))) as ChunkStream)
        })
    }
}

/// A tool that counts how often it ran, and how many ran at once.
pub(crate) struct Counting {
    spec: ToolSpec,
    hints: Hints,
    effect: Effect,
    takes: Duration,
    pub(crate) began: AtomicUsize,
    pub(crate) ended: AtomicUsize,
    pub(crate) most: AtomicUsize,
    running: Arc<AtomicUsize>,
}

struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Counting {
    fn new(name: &str, hints: Hints, effect: Effect, takes: Duration) -> Arc<Self> {
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        Arc::new(Self {
            spec: ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema),
            hints,
            effect,
            takes,
            began: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            running: Arc::default(),
        })
    }

    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
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

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            self.began.fetch_add(1, Ordering::SeqCst);
            let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            let _running = Running(self.running.clone());
            self.most.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(self.takes).await;
            self.ended.fetch_add(1, Ordering::SeqCst);
            Ok(Output::text("fine"))
        })
    }
}

/// A journal that outlives the process that wrote it.
#[derive(Clone, Default)]
pub(crate) struct Shared(pub(crate) Arc<Mutex<MemoryJournal>>);

impl Journal for Shared {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        self.0.lock().unwrap().append(body, at_ms, durability)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.0.lock().unwrap().records()
    }
}

/// `read_file` reads, `write_file` writes, `slow` takes a minute.
pub(crate) struct Scene {
    pub(crate) cast: Arc<Cast>,
    pub(crate) read: Arc<Counting>,
    pub(crate) write: Arc<Counting>,
    pub(crate) slow: Arc<Counting>,
    pub(crate) journals: MemoryJournals,
    pub(crate) agents: Vec<AgentDefinition>,
}

/// An agent that plays the part of its name.
pub(crate) fn agent(name: &'static str) -> AgentDefinition {
    AgentDefinition::new(name, "Does something.", format!("PART {name}.")).unwrap()
}

impl Scene {
    pub(crate) fn new(cast: Arc<Cast>, agents: impl IntoIterator<Item = AgentDefinition>) -> Self {
        let at_once = |hints| Hints { concurrency: Concurrency::Parallel, ..hints };
        let read = Effect::Read { path: "a.txt".into() };
        let write = Effect::Write { path: "a.txt".into(), bytes: None };
        Self {
            cast,
            read: Counting::new("read_file", Hints::read_only(), read, Duration::from_millis(5)),
            write: Counting::new("write_file", Hints::default(), write, Duration::ZERO),
            slow: Counting::new("slow", at_once(Hints::default()), Effect::Internal, Duration::from_mins(1)),
            journals: MemoryJournals::default(),
            agents: agents.into_iter().collect(),
        }
    }

    pub(crate) fn sub_agents(&self) -> SubAgents {
        let agents = SubAgents::new(self.journals.clone());
        self.agents.iter().fold(agents, |agents, definition| agents.with_agent(definition.clone()).unwrap())
    }

    pub(crate) fn toolbox(&self, agents: &SubAgents) -> Toolbox {
        let own: [Arc<dyn Tool>; 3] = [self.read.clone(), self.write.clone(), self.slow.clone()];
        Toolbox::builder()
            .tools(own)
            .tools(agents.tools())
            .tools(agents.new_task(&WorkModes::builtin()))
            .modes(WorkModes::builtin())
            .config(ToolConfig::new(Preset::Full))
            .build()
            .unwrap()
    }

    /// The agent at the root, which may hand work on without asking.
    pub(crate) fn builder(&self) -> AgentBuilder {
        let mut file = RuleFile::default();
        file.rules = vec![Rule::new("hand-on", Action::Allow).with_effect(EffectKind::Spawn)];
        let policy = Policy::default().with_file(Source::User, file).unwrap();
        Agent::builder()
            .model(self.cast.clone(), "cast")
            .toolbox(self.toolbox(&self.sub_agents()))
            .policy(policy)
            .system("You are the root.")
    }
}

/// Reads a run to its end.
pub(crate) async fn ended(mut events: EventStream) -> (Outcome, Vec<Event>) {
    let (mut outcome, mut all) = (None, Vec::new());
    while let Some(event) = events.next().await {
        let event = event.unwrap();
        if let Event::Finished { outcome: end, .. } = &event {
            outcome = Some(end.clone());
        }
        all.push(event);
    }
    (outcome.unwrap(), all)
}
