//! The server is killed in the middle of a run, and started again.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::SessionHost;
use windlass_app::{App, Confinement, Folders, RunSettings};
use windlass_mock::{Script, ScriptedProvider};
use windlass_server::{Devices, Server, ServerOptions};

use crate::place::PATIENCE;

const SLEEPS: &str = r#"{"turns": [
    {"steps": [{"text": "I sleep."}, {"call": {"name": "run_command", "arguments": {"command": "sleep 60"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "awake"}}}]}]}"#;

/// The variables with which the test starts itself as a server: its folder, and the address of the provider.
pub(crate) const FOLDER: &str = "WINDLASS_TEST_FOLDER";
pub(crate) const PROVIDER: &str = "WINDLASS_TEST_PROVIDER";
const NAME: &str = "restart::a_session_resumes_after_a_kill_and_a_reader_gets_each_event_once";

#[tokio::test(flavor = "multi_thread")]
async fn a_session_resumes_after_a_kill_and_a_reader_gets_each_event_once() {
    match (std::env::var_os(FOLDER), std::env::var(PROVIDER)) {
        (Some(folder), Ok(provider)) => serve(Path::new(&folder), provider).await,
        _ => kill_and_restart().await,
    }
}

/// Serves until the process is killed, and prints the address.
pub(crate) async fn serve(folder: &Path, base_url: String) {
    let app = App::new(Folders::new(folder.join("settings"), folder.join("state")));
    let mut choice = ProviderChoice::default();
    (choice.base_url, choice.model) = (Some(base_url), Some("scripted-1".to_owned()));
    let provider = Provider::select(&app, &choice, &ProviderOptions::default()).unwrap();
    let mut template = RunSettings::new("", provider, &folder.join("project")).unwrap();
    (template.servers, template.no_checkpoints, template.sandbox) = (false, true, Confinement::Off);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    // `println!` would be captured by the test program.
    let mut output = std::io::stdout();
    writeln!(output, "\nserving on {}", listener.local_addr().unwrap()).unwrap();
    let (host, devices) = (SessionHost::new(&app).unwrap(), devices(folder));
    let server = Server::new(host, template, devices, ServerOptions::default());
    server.serve_until(listener, std::future::pending()).await.unwrap();
}

pub(crate) fn devices(folder: &Path) -> Devices {
    Devices::new(folder.join("state/devices.json"))
}

/// A server in a process of its own, which is killed with SIGKILL when it is dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Process {
    fn start(folder: &Path, provider: &str, token: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([NAME, "--exact", "--nocapture"]);
        Self::start_with(command, folder, provider, token)
    }

    /// Starts a command that becomes a server.
    pub(crate) fn start_with(mut command: Command, folder: &Path, provider: &str, token: &str) -> Self {
        command.env(FOLDER, folder).env(PROVIDER, provider);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address =
            lines.map_while(Result::ok).find_map(|line| Some(line.strip_prefix("serving on ")?.to_owned()));
        Self { child, address: address.unwrap(), token: token.to_owned() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn open(&self, head: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (address, token, length) = (&self.address, &self.token, body.len());
        let fields = format!("host: {address}\r\nauthorization: Bearer {token}\r\nconnection: close");
        let content = format!("content-type: application/json\r\ncontent-length: {length}");
        stream.write_all(format!("{head}\r\n{fields}\r\n{content}\r\n\r\n{body}").as_bytes()).unwrap();
        stream
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let mut text = String::new();
        let head = format!("POST {path} HTTP/1.1");
        self.open(&head, &body.to_string()).read_to_string(&mut text).unwrap();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap_or(Value::Null))
    }

    /// Reads the feed of a session as a browser that reconnects, until an event of this kind. Returns the numbered
    /// events, which are the ones with an id.
    fn read(&self, session: &str, last: u64, until: &str) -> Vec<(u64, Value)> {
        let head = format!("GET /api/sessions/{session}/feed HTTP/1.1\r\nlast-event-id: {last}");
        let (mut id, mut data, mut events) = (None, None::<Value>, Vec::new());
        for line in BufReader::new(self.open(&head, "")).lines() {
            let line = line.unwrap();
            if let Some(number) = line.strip_prefix("id: ") {
                id = Some(number.trim().parse().unwrap());
            } else if let Some(text) = line.strip_prefix("data: ") {
                data = Some(serde_json::from_str(text).unwrap());
            } else if let (true, Some(event)) = (line.trim().is_empty(), data.take()) {
                let is_last = event["kind"] == until;
                events.extend(id.take().map(|number| (number, event)));
                if is_last {
                    return events;
                }
            }
        }
        panic!("the feed ended before {until}: {events:?}");
    }
}

async fn kill_and_restart() {
    let provider = ScriptedProvider::start(Script::parse(SLEEPS).unwrap(), 0).await.unwrap();
    let url = format!("{}/v1", provider.base_url());
    let work = move || {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let (_, token) = devices(folder.path()).add("laptop", 1).unwrap();
        let first = Process::start(folder.path(), &url, &token);
        let (status, started) = first.post("/api/sessions", &json!({"task": "sleep"}));
        assert_eq!(status, 201, "{started}");
        let session = started["session"].as_str().unwrap().to_owned();
        let path = format!("/api/sessions/{session}");
        let mut seen = first.read(&session, 0, "question_opened");
        let (last, asked) = seen.last().unwrap().clone();
        let answer = json!({"answer": "once", "question": asked["question"]});
        assert_eq!(first.post(&format!("{path}/answer"), &answer).0, 200);
        seen.extend(first.read(&session, last, "call_running"));
        drop(first);

        let second = Process::start(folder.path(), &url, &token);
        let (status, resumed) = second.post(&format!("{path}/resume"), &Value::Null);
        assert_eq!((status, &resumed["run"]), (201, &started["run"]), "{resumed}");
        let last = seen.last().unwrap().0;
        seen.extend(second.read(&session, last, "run_ended"));
        assert_eq!(seen.last().unwrap().1["outcome"], json!({"state": "completed", "text": "awake"}));
        let numbers: Vec<u64> = seen.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "{seen:?}");
        assert_eq!(second.read(&session, 0, "run_ended"), seen, "from the beginning: the same events");
        let result = seen.iter().find(|(_, event)| event["kind"] == "result").unwrap();
        assert_eq!(result.1["status"], "effects_unknown", "{result:?}");
    };
    tokio::task::spawn_blocking(work).await.unwrap();
    provider.shutdown().await;
}
