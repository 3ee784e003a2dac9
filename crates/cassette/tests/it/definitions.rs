//! Definitions of tools from outside that change during a run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_agent::{Agent, ApproveAll, Outcome};
use windlass_cassette::{Player, Recorder};
use windlass_client::{Client, Endpoint, Options, Transport};
use windlass_mock::{Script, ScriptedProvider};
use windlass_protocol::{ToolName, ToolSpec};
use windlass_tool::{Output, Tool};
use windlass_toolbox::{CallbackTool, DynamicTools, Preset, ToolConfig, Toolbox};
use windlass_tools_control::AttemptCompletion;
use windlass_wire_openai_chat::OpenAiChat;

/// The first two calls change the list of the server, and the third call reaches a tool of the changed list.
const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "switch", "arguments": {"add": "b"}, "id": "c1"}}]},
    {"steps": [{"call": {"name": "switch", "arguments": {"remove": "a"}, "id": "c2"}}, {"call": {"name": "a", "arguments": {}, "id": "c3"}}]},
    {"steps": [{"call": {"name": "b", "arguments": {}, "id": "c4"}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}, "id": "c5"}}]}]}"#;

type Wrap = Arc<dyn Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync>;

/// A server whose tools the tool `switch` adds and removes.
#[derive(Clone)]
struct Server {
    names: Arc<Mutex<BTreeSet<String>>>,
    dynamic: DynamicTools,
    wrap: Wrap,
}

impl Server {
    fn new(wrap: Wrap, names: &Value) -> Self {
        let server = Self { names: Arc::default(), dynamic: DynamicTools::default(), wrap };
        server.set(names);
        server
    }

    /// Calls `note` with the names at the start, and with changed names when a turn compares its tools.
    fn track(&self, note: impl Fn(Value) + Send + Sync + 'static) {
        let (names, noted) = (self.names.clone(), Mutex::new(Value::Null));
        let note = move || {
            let now = json!(*names.lock().unwrap());
            let mut noted = noted.lock().unwrap();
            if *noted != now {
                note(now.clone());
                *noted = now;
            }
        };
        note();
        self.dynamic.register_updater(note);
    }

    fn set(&self, names: &Value) {
        let wanted: BTreeSet<String> = serde_json::from_value(names.clone()).unwrap();
        let mut names = self.names.lock().unwrap();
        for name in names.difference(&wanted) {
            self.dynamic.remove(name);
        }
        for name in wanted.difference(&names) {
            self.dynamic.add((self.wrap)(tool(name, |_| {}))).unwrap();
        }
        *names = wanted;
    }

    fn switch(&self) -> Arc<dyn Tool> {
        let server = self.clone();
        (self.wrap)(tool("switch", move |arguments| {
            let mut names = server.names.lock().unwrap().clone();
            names.extend(arguments["add"].as_str().map(str::to_owned));
            if let Some(gone) = arguments["remove"].as_str() {
                names.remove(gone);
            }
            server.set(&json!(names));
        }))
    }
}

fn tool(name: &str, act: impl Fn(&Value) + Send + Sync + 'static) -> Arc<dyn Tool> {
    let schema = r#"{"type":"object"}"#.parse().unwrap();
    let spec = ToolSpec::function(ToolName::new(name).unwrap(), "Acts.", schema);
    let act = Arc::new(act);
    Arc::new(CallbackTool::new(spec, move |_, payload| {
        let act = act.clone();
        let arguments = serde_json::from_str(&payload.text()).unwrap_or_default();
        async move {
            act(&arguments);
            Ok(Output::text("acted"))
        }
    }))
}

async fn run(url: &str, transport: Arc<dyn Transport>, server: &Server) -> Outcome {
    let wire = Arc::new(OpenAiChat::default());
    let options = Options { backoff: Duration::ZERO, ..Options::default() };
    let client = Client::builder(Endpoint::custom(url, "openai-chat"), wire);
    let client = client.options(options).transport(transport).build().unwrap();
    let toolbox = Toolbox::builder()
        .tools([server.switch(), (server.wrap)(Arc::new(AttemptCompletion::default()))])
        .dynamic(server.dynamic.clone())
        .config(ToolConfig::new(Preset::Full))
        .build()
        .unwrap();
    let agent = Agent::builder().model(client, "scripted-1").toolbox(toolbox).approver(Arc::new(ApproveAll));
    agent.build().unwrap().stream("task").report().await.unwrap().outcome
}

async fn record() -> (tempfile::TempDir, PathBuf, String) {
    let provider = ScriptedProvider::start(Script::parse(SCRIPT).unwrap(), 0).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    let recorder = Recorder::create(&file, json!({}), []).unwrap();
    let taps = recorder.clone();
    let server = Server::new(Arc::new(move |tool| taps.tool(tool)), &json!(["a"]));
    let notes = recorder.clone();
    server.track(move |names| notes.record_definitions("mcp", names));
    let url = provider.base_url();
    let outcome = run(&url, recorder.transport(crate::scene::http()), &server).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    recorder.finish().unwrap();
    provider.shutdown().await;
    (folder, file, url)
}

async fn replay(player: &Player, url: &str, follows: bool) -> Outcome {
    let taps = player.clone();
    let server = Server::new(Arc::new(move |tool| taps.tool(tool)), player.definitions("mcp").unwrap());
    if follows {
        let changed = server.clone();
        player.follow_definitions("mcp", move |definitions| {
            let changed = changed.clone();
            Box::pin(async move { changed.set(&definitions) })
        });
    }
    run(url, player.transport(None), &server).await
}

#[tokio::test]
async fn a_replay_adds_and_removes_tools_before_the_request_that_offered_the_change() {
    let (_folder, file, url) = record().await;
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lists: Vec<&Value> = lines.iter().filter(|line| line["line"] == "definitions").collect();
    let lists: Vec<&Value> = lists.iter().map(|line| &line["definitions"]).collect();
    assert_eq!(lists, [&json!(["a"]), &json!(["a", "b"]), &json!(["b"])]);
    let mut names = &Value::Null;
    for line in &lines {
        if line["line"] == "definitions" {
            names = &line["definitions"];
        } else if line["line"] == "request" {
            let body = line["body"]["json"]["tools"].to_string();
            let offers = ["a", "b"].into_iter().filter(|name| body.contains(&format!("\"name\":\"{name}\"")));
            assert_eq!(json!(offers.collect::<Vec<_>>()), *names, "{body}");
        }
    }

    let player = Player::open(&file).unwrap();
    assert_eq!(player.definitions("mcp"), Some(&json!(["a"])));
    assert_eq!(replay(&player, &url, true).await, Outcome::Completed { text: "done".into() });
    assert_eq!(player.differences(), []);
}

#[tokio::test]
async fn a_replay_that_ignores_a_change_differs_at_the_request_that_offered_it() {
    let (_folder, file, url) = record().await;
    let player = Player::open(&file).unwrap();
    assert_ne!(replay(&player, &url, false).await, Outcome::Completed { text: "done".into() });
    let differences = player.differences();
    assert!(differences[0].to_string().starts_with("request 1 differs at body.tools"), "{differences:?}");
}
