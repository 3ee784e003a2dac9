//! An agent with a provider on a real port, and a tool that counts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use windlass_agent::{Agent, ApproveAll, Approver, Outcome};
use windlass_cassette::{Player, Recorder};
use windlass_client::{Client, Endpoint, HttpOptions, HttpTransport, Options, Transport};
use windlass_mock::{Script, ScriptedProvider};
use windlass_protocol::{Effect, Hints, Payload, Target, TargetKind, ToolName, ToolSpec};
use windlass_tool::{Context, Inspection, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_tools_control::AttemptCompletion;
use windlass_vendors::WireFormat;
use windlass_wire::Wire;

/// A key that must be nowhere in a cassette.
pub(crate) const KEY: &str = "sk-planted-secret-0123456789";

/// Counts its calls, and returns the key that it found.
pub(crate) struct Change {
    spec: ToolSpec,
    pub(crate) calls: AtomicUsize,
    looks: AtomicUsize,
}

impl Change {
    pub(crate) fn new() -> Arc<Self> {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#.parse().unwrap();
        let spec = ToolSpec::function(ToolName::new("change").unwrap(), "Changes.", schema);
        Arc::new(Self { spec, calls: AtomicUsize::new(0), looks: AtomicUsize::new(0) })
    }

    pub(crate) fn count(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(crate) fn looks(&self) -> usize {
        self.looks.load(Ordering::SeqCst)
    }
}

impl Tool for Change {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Write { path: "a".into(), bytes: None }]
    }

    fn inspect(&self, _: &Payload) -> Inspection {
        self.looks.fetch_add(1, Ordering::SeqCst);
        // A fact that only this machine has: a second hard link to the file.
        let target = Target { kind: TargetKind::File, links: 2, ..Target::missing("a") };
        Inspection::default().with_target(target)
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::SeqCst);
            Ok(Output::text(format!("changed {} with {KEY}", payload.text())))
        })
    }
}

pub(crate) fn wires() -> impl Iterator<Item = Arc<dyn Wire>> {
    WireFormat::all().iter().map(|format| format.wire.clone())
}

/// Returns the default format.
pub(crate) fn wire() -> Arc<dyn Wire> {
    WireFormat::default_format().wire.clone()
}

pub(crate) async fn provider(script: &str) -> ScriptedProvider {
    ScriptedProvider::start(Script::parse(script).unwrap(), 0).await.unwrap()
}

pub(crate) fn http() -> Arc<dyn Transport> {
    Arc::new(HttpTransport::new(&HttpOptions::default()).unwrap())
}

/// The parts of an agent.
pub(crate) struct Parts {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) completion: Arc<dyn Tool>,
    pub(crate) approver: Arc<dyn Approver>,
}

pub(crate) fn live(tool: &Arc<Change>) -> Parts {
    Parts {
        transport: http(),
        tool: tool.clone(),
        completion: Arc::new(AttemptCompletion::default()),
        approver: Arc::new(ApproveAll),
    }
}

pub(crate) fn recorded(recorder: &Recorder, parts: Parts) -> Parts {
    Parts {
        transport: recorder.transport(parts.transport),
        tool: recorder.tool(parts.tool),
        completion: recorder.tool(parts.completion),
        approver: recorder.approver(parts.approver),
    }
}

pub(crate) fn played(player: &Player, parts: Parts) -> Parts {
    Parts {
        transport: player.transport(Some(parts.transport)),
        tool: player.tool(parts.tool),
        completion: player.tool(parts.completion),
        approver: player.approver(Some(parts.approver)),
    }
}

pub(crate) async fn run(url: &str, wire: &Arc<dyn Wire>, parts: Parts, task: &str) -> Outcome {
    let endpoint = Endpoint::custom(url, wire.name());
    // No step of this test needs a wait.
    let options = Options { backoff: std::time::Duration::ZERO, ..Options::default() };
    let client = Client::builder(endpoint, wire.clone())
        .key(Some(KEY.to_owned().into()))
        .options(options)
        .transport(parts.transport)
        .build()
        .unwrap();
    let toolbox = Toolbox::builder()
        .tools([parts.tool, parts.completion])
        .config(ToolConfig::new(Preset::Full))
        .build()
        .unwrap();
    let builder = Agent::builder().model(client, "scripted-1").toolbox(toolbox).approver(parts.approver);
    builder.build().unwrap().stream(task).report().await.unwrap().outcome
}

/// A cassette of a run of the script, and the address that it went to.
pub(crate) async fn record(folder: &Path, wire: &Arc<dyn Wire>, script: &str) -> (PathBuf, String) {
    let provider = provider(script).await;
    let file = folder.join(format!("{}.jsonl", wire.name()));
    let recorder = Recorder::create(&file, json!({"task": "task"}), []).unwrap();
    let tool = Change::new();
    let outcome = run(&provider.base_url(), wire, recorded(&recorder, live(&tool)), "task").await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() }, "{}", wire.name());
    recorder.finish().unwrap();
    assert_eq!(tool.count(), 2);
    let url = provider.base_url();
    provider.shutdown().await;
    (file, url)
}

pub(crate) const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"reasoning": "Hm."}, {"text": "I change it."}, {"call": {"name": "change", "arguments": {"n": 1}, "id": "c1"}}],
     "hostile": {"switch": "status", "status": 503, "times": 1}},
    {"steps": [{"call": {"name": "change", "arguments": {"n": 2}, "id": "c2"}}], "piece": 3},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}, "id": "c3"}}]}]}"#;
