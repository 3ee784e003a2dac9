//! Agents without a model, tools that count their calls, and journals that can be cut.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use windlass_agent::{Agent, AgentBuilder, ApproveAll, Approver, ApproverFuture, UnansweredPolicy};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::{Durability, Journal, JournalError, Journals, MemoryJournal, Record};
use windlass_mock::{Script, ScriptedModel};
use windlass_protocol::{Effect, Hints, Payload, RawJson, ToolName, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_wire_openai_chat::OpenAiChat;
use windlass_workflow::{RunError, Runner, Workflow, WorkflowOptions, WorkflowOutcome};

/// Journals in memory, all in one list in the order in which they were written, that can fail from a record on.
#[derive(Clone, Default)]
pub(crate) struct Store {
    log: Arc<Mutex<Vec<(String, Record)>>>,
    pub(crate) fails_at: Option<usize>,
}

struct Kept {
    store: Store,
    key: String,
}

impl Store {
    pub(crate) fn len(&self) -> usize {
        self.log.lock().unwrap().len()
    }

    /// Returns a store with the same records, which fails at the given number of records.
    pub(crate) fn failing_at(&self, at: Option<usize>) -> Self {
        Self { log: self.log.clone(), fails_at: at }
    }

    pub(crate) fn of(&self, key: &str) -> Vec<Record> {
        self.log
            .lock()
            .unwrap()
            .iter()
            .filter(|(kept, _)| kept == key)
            .map(|(_, record)| record.clone())
            .collect()
    }
}

impl Journals for Store {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        Ok(Box::new(Kept { store: self.clone(), key: key.to_owned() }))
    }
}

impl Journal for Kept {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let mut log = self.store.log.lock().unwrap();
        if self.store.fails_at.is_some_and(|at| log.len() >= at) {
            return Err(JournalError::Locked { path: "full".into() });
        }
        // The number that the record has in its own journal.
        let mut own = MemoryJournal::default();
        for (_, record) in log.iter().filter(|(key, _)| *key == self.key) {
            own.append(record.body.clone(), record.at_ms, durability)?;
        }
        let seq = own.append(body, at_ms, durability)?;
        log.push((self.key.clone(), own.records()?.pop().unwrap()));
        Ok(seq)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        Ok(self.store.of(&self.key))
    }
}

type Answer = Arc<dyn Fn(&Map<String, Value>) -> Result<Output, ToolError> + Send + Sync>;

/// A tool that stores its calls, and answers as configured.
pub(crate) struct Fake {
    spec: ToolSpec,
    hints: Hints,
    answer: Answer,
    pub(crate) asked: Mutex<Vec<Map<String, Value>>>,
    /// The work done under each key: a resumable call does nothing twice.
    done: Mutex<BTreeMap<String, String>>,
    pub(crate) running: AtomicUsize,
    pub(crate) most_running: AtomicUsize,
}

impl Fake {
    pub(crate) fn new(
        name: &str,
        hints: Hints,
        answer: impl Fn(&Map<String, Value>) -> Result<Output, ToolError> + Send + Sync + 'static,
    ) -> Arc<Self> {
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        Arc::new(Self {
            spec: ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema),
            hints,
            answer: Arc::new(answer),
            asked: Mutex::default(),
            done: Mutex::default(),
            running: AtomicUsize::new(0),
            most_running: AtomicUsize::new(0),
        })
    }

    /// Returns its arguments.
    pub(crate) fn echo(name: &str, hints: Hints) -> Arc<Self> {
        Self::new(name, hints, |arguments| Ok(Output::text(Value::Object(arguments.clone()).to_string())))
    }

    pub(crate) fn calls(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Tool for Fake {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let key = ctx.idempotency_key().to_owned();
            let known = self.done.lock().unwrap().get(&key).cloned().filter(|_| self.hints.resumable);
            if let Some(text) = known {
                return Ok(Output::text(text));
            }
            let Payload::Function { arguments } = payload else { panic!("only functions are called here") };
            let arguments = arguments.as_object().clone();
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_running.fetch_max(running, Ordering::SeqCst);
            // Gives concurrent tasks a turn.
            tokio::task::yield_now().await;
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            // A dropped call has done nothing.
            self.asked.lock().unwrap().push(arguments.clone());
            let output = (self.answer)(&arguments)?;
            if let Some(windlass_protocol::Content::Text { text }) = output.content.first() {
                self.done.lock().unwrap().insert(key, text.clone());
            }
            Ok(output)
        })
    }
}

/// Approves everything except the questions of workflows, for which no human is present.
pub(crate) struct NotThere;

impl Approver for NotThere {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let yes = ApprovalDecision::approve(request.request_id.clone());
        let answer = (request.tool.as_str() != "workflow_approval").then_some(yes);
        Box::pin(async move { answer })
    }
}

pub(crate) fn toolbox(tools: Vec<Arc<dyn Tool>>) -> Toolbox {
    Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build().unwrap()
}

pub(crate) fn model(script: &str) -> ScriptedModel {
    ScriptedModel::new(Script::parse(script).unwrap(), Arc::new(OpenAiChat::default()))
}

/// An agent whose model has no answer, so that a question to it fails.
pub(crate) fn hands(tools: Vec<Arc<dyn Tool>>) -> AgentBuilder {
    Agent::builder()
        .model(model(r#"{"turns": []}"#), "not asked")
        .toolbox(toolbox(tools))
        .on_unanswered(UnansweredPolicy::Suspend)
        .approver(ApproveAll)
}

pub(crate) fn runner(hands: AgentBuilder, journals: impl Journals + 'static) -> Runner {
    Runner::new(hands.build().unwrap(), Arc::new(journals)).unwrap()
}

pub(crate) async fn run(
    runner: &Runner,
    workflow: &Workflow,
    options: &WorkflowOptions,
) -> Result<WorkflowOutcome, RunError> {
    runner.run("run", workflow, Map::new(), options).await
}

/// A tool that ends only when it is stopped: always, or the first time.
pub(crate) struct Waiting {
    spec: ToolSpec,
    hints: Hints,
    waits: AtomicUsize,
}

impl Waiting {
    fn new(hints: Hints, times: usize) -> Self {
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        let spec = ToolSpec::function(ToolName::new("wait").unwrap(), "Waits.", schema);
        Self { spec, hints, waits: AtomicUsize::new(times) }
    }

    pub(crate) fn for_ever() -> Self {
        Self::new(Hints::default(), usize::MAX)
    }

    pub(crate) fn once(hints: Hints) -> Self {
        Self::new(hints, 1)
    }
}

impl Tool for Waiting {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let left =
                self.waits.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            if left.is_err() {
                return Ok(Output::text("done"));
            }
            ctx.cancellation().cancelled().await;
            Ok(Output::text("stopped").with_status(windlass_protocol::ResultStatus::Cancelled))
        })
    }
}
