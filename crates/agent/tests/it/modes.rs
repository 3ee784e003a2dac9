//! Modes and tools that come and go, in whole runs (L11, N1).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use serde_json::Value;
use windlass_agent::{Agent, AgentBuilder, AgentError, ApproveAll, Event, RunOptions};
use windlass_journal::{Durability, Journal, MemoryJournal};
use windlass_mock::ScriptedModel;
use windlass_protocol::{Effect, Hints, Payload, Request, ToolName, ToolSpec};
use windlass_stream::{CallChunk, Chunk, ChunkStream, Model, ModelFuture, WholeCall};
use windlass_tool::{Output, Tool};
use windlass_toolbox::{CallbackTool, DynamicTools, Preset, ToolConfig, Toolbox, ToolboxBuilder, WorkModes};
use windlass_tools_control::{AttemptCompletion, SwitchMode};

use crate::scene::{Shared, events, way};

/// A tool that writes the path of its argument, and counts how often it ran with one.
fn writes(name: &str, count: &Arc<AtomicUsize>) -> CallbackTool {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    let spec = ToolSpec::function(ToolName::new(name).unwrap(), "Writes.", schema.parse().unwrap());
    let count = count.clone();
    let tool = CallbackTool::new(spec, move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(Output::text("written")) }
    });
    tool.with_hints(Hints::default()).with_effects(|payload| {
        let path =
            payload.as_arguments().get("path").and_then(|path| path.as_str()).unwrap_or("x").to_owned();
        vec![Effect::Write { path, bytes: None }]
    })
}

struct Stage {
    model: Arc<ScriptedModel>,
    written: Arc<AtomicUsize>,
    dynamic: DynamicTools,
}

impl Stage {
    fn new(turns: &str) -> Self {
        let script = format!(r#"{{"turns": [{turns}], "fallback": "I have nothing more to say."}}"#);
        Self {
            model: Arc::new(way().model(&script)),
            written: Arc::default(),
            dynamic: DynamicTools::default(),
        }
    }

    fn toolbox(&self) -> ToolboxBuilder {
        let tools: [Arc<dyn Tool>; 3] = [
            Arc::new(writes("write_file", &self.written)),
            Arc::new(SwitchMode::new(WorkModes::builtin())),
            Arc::new(AttemptCompletion::default()),
        ];
        let config = ToolConfig::new(Preset::Full);
        Toolbox::builder()
            .tools(tools)
            .modes(WorkModes::builtin())
            .config(config)
            .dynamic(self.dynamic.clone())
    }

    fn builder(&self) -> AgentBuilder {
        let toolbox = self.toolbox().build().unwrap();
        Agent::builder()
            .model(self.model.clone(), "scripted-1")
            .toolbox(toolbox)
            .approver(ApproveAll)
            .system("Base.")
    }

    fn written(&self) -> usize {
        self.written.load(Ordering::SeqCst)
    }

    /// The names of the tools of each request.
    fn offered(&self) -> Vec<Vec<String>> {
        let name = |tool: &Value| tool["function"]["name"].as_str().unwrap().to_owned();
        let names = |request: &Value| request["tools"].as_array().unwrap().iter().map(name).collect();
        self.model.requests().iter().map(names).collect()
    }

    fn system(&self, request: usize) -> String {
        self.model.requests()[request]["messages"][0]["content"].to_string()
    }
}

fn turn(calls: &[(&str, &str)]) -> String {
    let calls: Vec<_> = calls
        .iter()
        .map(|(name, arguments)| format!(r#"{{"call": {{"name": "{name}", "arguments": {arguments}}}}}"#))
        .collect();
    format!(r#"{{"steps": [{}]}}"#, calls.join(","))
}

const DONE: (&str, &str) = ("attempt_completion", r#"{"result": "done"}"#);

fn turns(turns: &[&[(&str, &str)]]) -> String {
    turns.iter().map(|calls| turn(calls)).collect::<Vec<_>>().join(",")
}

const TO_CODE: (&str, &str) = ("switch_mode", r#"{"mode_slug": "code"}"#);
const TO_ARCHITECT: (&str, &str) = ("switch_mode", r#"{"mode_slug": "architect"}"#);
const WRITE_RS: (&str, &str) = ("write_file", r#"{"path": "a.rs"}"#);
const WRITE_MD: (&str, &str) = ("write_file", r#"{"path": "a.md"}"#);

// L11: a switch inside a batch holds for later calls, and for no earlier one.
#[tokio::test]
async fn a_mode_change_applies_to_the_calls_after_it() {
    for (begin, batch, expected) in [
        ("ask", &[TO_CODE, WRITE_RS][..], 1),
        ("ask", &[WRITE_RS, TO_CODE], 0),
        ("code", &[TO_ARCHITECT, WRITE_RS], 0),
        ("code", &[WRITE_RS, TO_ARCHITECT], 1),
        ("code", &[TO_ARCHITECT, WRITE_MD], 1),
        ("code", &[TO_ARCHITECT, WRITE_RS, TO_CODE, ("write_file", r#"{"path": "b.rs"}"#)], 1),
        ("orchestrator", &[("switch_mode", r#"{"mode_slug": "poet"}"#), WRITE_RS], 0),
    ] {
        let stage = Stage::new(&turns(&[batch, &[DONE]]));
        let report = stage.builder().work_mode(begin).build().unwrap().run("task").await.unwrap();
        assert_eq!(report.text(), Some("done"), "{begin} {batch:?}");
        assert_eq!(stage.written(), expected, "{begin} {batch:?}");
    }
}

#[tokio::test]
async fn the_next_turn_is_offered_the_tools_and_the_role_of_the_new_mode() {
    let stage = Stage::new(&turns(&[&[TO_CODE], &[DONE]]));
    let agent = stage.builder().work_mode("ask").build().unwrap();
    let told = events(agent.stream("task")).await;
    assert_eq!(stage.offered()[0], ["switch_mode", "attempt_completion"]);
    assert_eq!(stage.offered()[1], ["write_file", "switch_mode", "attempt_completion"]);
    assert!(stage.system(0).contains("Base.") && stage.system(0).contains("mode Ask (ask)"));
    assert!(stage.system(1).contains("Base.") && stage.system(1).contains("mode Code (code)"));
    assert!(told.contains(&Event::ModeChanged { mode: "code".into() }));
}

#[tokio::test]
async fn a_path_outside_the_pattern_is_refused_while_the_call_streams() {
    let stage = Stage::new(&turns(&[&[WRITE_RS], &[DONE]]));
    let agent = stage.builder().work_mode("architect").build().unwrap();
    let told = events(agent.stream("task")).await;
    assert_eq!(stage.written(), 0);
    let text = told.iter().find_map(|event| match event {
        Event::CallEnded { result } => Some(result.wire_text()),
        _ => None,
    });
    let text = text.unwrap();
    assert!(text.contains("Architect") && text.contains(r"\.md$") && text.contains("a.rs"), "{text}");
}

// R5: a run killed after any record resumes in the mode that it was in.
#[tokio::test]
async fn a_resumed_run_keeps_its_mode() {
    let script = turns(&[&[TO_ARCHITECT, WRITE_RS], &[WRITE_RS, WRITE_MD], &[DONE]]);
    let journal = Shared::default();
    let stage = Stage::new(&script);
    let agent = stage.builder().work_mode("code").build().unwrap();
    agent.stream_with("task", RunOptions::default().with_journal(journal.clone())).report().await.unwrap();
    assert_eq!(stage.written(), 1, "the .md file only");
    let records = journal.records().unwrap();
    let switched = |record: &str| record.contains(r#""entry":"mode","mode":"architect""#);
    let at = records.iter().position(|record| switched(record.body.as_str())).unwrap();
    for cut in 1..records.len() {
        let mut kept = MemoryJournal::default();
        for record in &records[..cut] {
            kept.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
        }
        let stage = Stage::new(&script);
        let agent = stage.builder().work_mode("code").build().unwrap();
        let report = agent.resume(RunOptions::default().with_journal(kept)).unwrap().report().await.unwrap();
        assert_eq!(report.text(), Some("done"), "cut at {cut}");
        assert!(stage.written() <= 1, "cut at {cut}: a.rs is never written");
        if cut > at {
            let system =
                stage.model.requests().first().map(|request| request["messages"][0]["content"].to_string());
            assert!(system.is_none_or(|system| system.contains("mode Architect")), "cut at {cut}");
        }
    }
}

#[tokio::test]
async fn an_unknown_mode_is_reported_before_a_run_starts() {
    let stage = Stage::new(&turns(&[&[DONE]]));
    let error = stage.builder().work_mode("poet").build().err().unwrap();
    assert!(matches!(error, AgentError::Mode(_)));
}

fn spec(name: &str) -> ToolSpec {
    ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", r#"{"type":"object"}"#.parse().unwrap())
}

/// A tool that counts its calls and removes itself.
fn once(dynamic: DynamicTools, ran: Arc<AtomicUsize>) -> CallbackTool {
    let tool = CallbackTool::new(spec("late"), move |_, _| {
        ran.fetch_add(1, Ordering::SeqCst);
        dynamic.remove("late");
        async { Ok(Output::text("ran")) }
    });
    tool.with_effects(|_| vec![Effect::Internal])
}

// A tool that is added during a turn is offered from the next turn on, and a removed tool does not start any more.
#[tokio::test]
async fn dynamic_tools_change_what_is_offered_at_a_turns_beginning() {
    let late = ("late", "{}");
    let stage = Stage::new(&turns(&[&[("grow", "{}")], &[late], &[late], &[DONE]]));
    let (dynamic, ran) = (stage.dynamic.clone(), Arc::new(AtomicUsize::new(0)));
    let grow = CallbackTool::new(spec("grow"), {
        let ran = ran.clone();
        move |_, _| {
            let added = dynamic.add(Arc::new(once(dynamic.clone(), ran.clone())));
            async move { added.map(|()| Output::text("grown")).map_err(|error| error.to_string().into()) }
        }
    });
    let toolbox = stage.toolbox().tool(Arc::new(grow)).build().unwrap();
    let agent = stage.builder().toolbox(toolbox).build().unwrap();
    let report = agent.run("task").await.unwrap();
    assert_eq!(report.text(), Some("done"));
    let has: Vec<_> = stage.offered().iter().map(|names| names.contains(&"late".to_owned())).collect();
    assert_eq!(has, [false, true, false, false]);
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let last = stage.model.requests().last().unwrap().to_string();
    assert!(last.contains("late was removed"), "{last}");
}

// A mistake that only the program can have made ends the run; see `Toolbox::route`.
#[tokio::test]
async fn the_providers_shell_at_a_tool_that_takes_no_command_ends_the_run() {
    let script =
        r#"{"turns": [{"steps": [{"call": {"name": "local_shell", "arguments": {"command": ["ls"]}}}]}]}"#;
    let script = windlass_mock::Script::parse(script).unwrap();
    let model = Arc::new(ScriptedModel::new(script, way().wire));
    let toolbox = Toolbox::builder().tool(Arc::new(writes("local_shell", &Arc::default())));
    let toolbox = toolbox.config(ToolConfig::new(Preset::Full)).build().unwrap();
    let agent =
        Agent::builder().model(Shelled(model), "m").toolbox(toolbox).approver(ApproveAll).build().unwrap();
    let AgentError::Failed { message } = agent.run("task").await.unwrap_err() else { unreachable!() };
    assert!(message.contains("local_shell does not take a local shell call"), "{message}");
}

/// A model whose function calls are the provider's shell's.
struct Shelled(Arc<ScriptedModel>);

impl Model for Shelled {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let chunks = self.0.stream(request).await?;
            let shell = |chunk| match chunk {
                Ok(Chunk::Call(_)) => Ok(Chunk::Call(CallChunk::Whole {
                    id: Some("c1".into()),
                    name: "local_shell".into(),
                    body: WholeCall::Payload(Payload::LocalShell {
                        command: vec!["ls".into()],
                        working_directory: None,
                        timeout_ms: None,
                    }),
                    opaque: None,
                })),
                other => other,
            };
            let mut is_told = false;
            let first_only = move |chunk: &Result<Chunk, _>| {
                let is_call = matches!(chunk, Ok(Chunk::Call(_)));
                let keeps = !(is_call && is_told);
                is_told |= is_call;
                std::future::ready(keeps)
            };
            Ok(Box::pin(chunks.filter(first_only).map(shell)) as ChunkStream)
        })
    }
}
