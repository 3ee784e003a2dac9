//! Previews of calls whose arguments still arrive.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use windlass_agent::{Agent, Approver, ApproverFuture, Event};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_mock::ScriptedModel;
use windlass_protocol::{Effect, Payload, ToolName, ToolSpec};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, GrowingArguments, Output, Progress, ProgressSink, Tool, ToolFuture};
use windlass_tool_args::{ReadPartial as _, ToolArgs};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use crate::scene::{Way, events, ways};

const CONTENT: &str = "fn main() {\n    println!(\"\u{e9}\u{1f600}\\\");\n}\n";

/// Approves, and records whether the file existed before the approval.
struct Witness {
    file: std::path::PathBuf,
    seen: Arc<Mutex<Vec<bool>>>,
}

impl Approver for Witness {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        self.seen.lock().unwrap().push(self.file.exists());
        Box::pin(async { Some(ApprovalDecision::approve(request.request_id.clone())) })
    }
}

fn model(way: &Way, name: &str) -> ScriptedModel {
    let arguments = serde_json::json!({"path": "src/main.rs", "content": CONTENT});
    let script = serde_json::json!({"turns": [
        {"steps": [{"call": {"name": name, "arguments": arguments}}]},
        {"steps": [{"text": "done"}]},
    ]});
    way.model(&script.to_string())
}

fn toolbox(tool: Arc<dyn Tool>) -> Toolbox {
    Toolbox::builder().tool(tool).config(ToolConfig::new(Preset::Full)).build().unwrap()
}

fn previews(events: &[Event]) -> Vec<&str> {
    let mut shown = Vec::new();
    for event in events {
        if let Event::CallPreview { text, .. } = event {
            shown.push(text.as_str());
        }
    }
    shown
}

// H3: the content is shown while it streams, and the file is written only after approval.
#[tokio::test]
async fn file_content_is_shown_while_it_streams_and_written_after_approval() {
    for way in ways().into_iter().filter(Way::streams_arguments) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
        let seen = Arc::default();
        let witness = Witness { file: folder.path().join("src"), seen: Arc::clone(&seen) };
        let agent = Agent::builder()
            .model(model(&way, "write_file"), "scripted-1")
            .protocols([way.protocol])
            .toolbox(toolbox(Arc::new(windlass_tools_fs::WriteFile::new(Arc::clone(&workspace)))))
            .approver(witness)
            .build()
            .unwrap();
        let events = events(agent.stream("write it")).await;
        // The script's keys are sorted, so the content comes first.
        let mut shown = previews(&events);
        assert_eq!(shown.pop(), Some("wants to write src/main.rs"));
        assert_eq!(shown.concat(), CONTENT);
        assert!(shown.len() > 3, "it came in one piece: {shown:?}");
        let last = events.iter().rposition(|event| matches!(event, Event::CallPreview { .. })).unwrap();
        let asked =
            events.iter().position(|event| matches!(event, Event::ToolApprovalRequest { .. })).unwrap();
        assert!(last < asked);
        assert_eq!(*seen.lock().unwrap(), [false]);
        let written = workspace.read(&workspace.resolve("src/main.rs").unwrap()).unwrap();
        assert_eq!(written.bytes, CONTENT.as_bytes());
    }
}

#[derive(Debug, ToolArgs)]
struct Arguments {
    path: std::path::PathBuf,
    content: String,
}

/// Shows its typed arguments, or panics when it sees this text in them.
struct Typed {
    spec: ToolSpec,
    panics_at: &'static str,
    calls: AtomicUsize,
}

impl Typed {
    fn new(panics_at: &'static str) -> Arc<Self> {
        let spec = ToolSpec::function(ToolName::new("typed").unwrap(), "A tool.", Arguments::schema());
        Arc::new(Self { spec, panics_at, calls: AtomicUsize::new(0) })
    }
}

impl Tool for Typed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn on_partial(&self, show: &mut ProgressSink<'_>, arguments: &mut GrowingArguments) {
        let partial = arguments.typed::<Arguments>();
        assert!(self.panics_at.is_empty() || !partial.content.as_str().contains(self.panics_at));
        let path = partial.path.complete().map(|path| path.display().to_string()).unwrap_or_default();
        show.tell(Progress::Started);
        show.tell(Progress::Note(format!("{path}:{}", partial.content.as_str().len())));
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { path, content } = windlass_tool_args::read_arguments(payload)?;
            self.calls.fetch_add(1, Ordering::SeqCst);
            Ok(Output::text(format!("{} {}", path.display(), content.len())))
        })
    }
}

#[tokio::test]
async fn a_tool_sees_its_own_type_grow() {
    for way in ways().into_iter().filter(Way::streams_arguments) {
        let tool = Typed::new("");
        let agent = Agent::builder()
            .model(model(&way, "typed"), "scripted-1")
            .protocols([way.protocol])
            .toolbox(toolbox(tool.clone()))
            .build()
            .unwrap();
        let events = events(agent.stream("do it")).await;
        let shown = previews(&events);
        assert_eq!(shown.first(), Some(&":0"));
        assert_eq!(*shown.last().unwrap(), format!("src/main.rs:{}", CONTENT.len()));
        let lengths: Vec<usize> =
            shown.iter().map(|text| text.rsplit_once(':').unwrap().1.parse().unwrap()).collect();
        assert!(lengths.is_sorted() && lengths.len() > 4, "{lengths:?}");
        assert_eq!(tool.calls.load(Ordering::SeqCst), 1);
    }
}

// L8
#[tokio::test]
async fn a_tool_whose_preview_panics_still_runs() {
    for way in ways().into_iter().filter(Way::streams_arguments) {
        let tool = Typed::new("fn main");
        let agent = Agent::builder()
            .model(model(&way, "typed"), "scripted-1")
            .protocols([way.protocol])
            .toolbox(toolbox(tool.clone()))
            .build()
            .unwrap();
        let events = events(agent.stream("do it")).await;
        assert!(previews(&events).iter().all(|text| !text.ends_with(&CONTENT.len().to_string())));
        assert_eq!(tool.calls.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn an_unknown_tool_has_no_preview() {
    for way in ways().into_iter().filter(Way::streams_arguments) {
        let agent = Agent::builder()
            .model(model(&way, "unknown"), "scripted-1")
            .protocols([way.protocol])
            .toolbox(toolbox(Typed::new("")))
            .build()
            .unwrap();
        let events = events(agent.stream("do it")).await;
        assert_eq!(previews(&events), [""; 0]);
    }
}
