//! An agent with a scripted provider, and a client of its protocol.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, split,
};
use windlass_acp::{AcpAgent, AcpOptions};
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::SessionHost;
use windlass_app::{App, Folders, RunSettings};
use windlass_mock::{Script, ScriptedProvider};

/// The longest time that a test waits for a message.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// An agent with its own folders.
pub(crate) struct Place {
    _folder: tempfile::TempDir,
    pub(crate) project: PathBuf,
    pub(crate) host: SessionHost,
    agent: AcpAgent,
    provider: ScriptedProvider,
}

impl Place {
    pub(crate) async fn new(script: &str) -> Self {
        Self::with_template(script, |_| {}).await
    }

    /// Creates an agent whose runs have changed settings.
    pub(crate) async fn with_template(script: &str, change: impl FnOnce(&mut RunSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&project).unwrap();
        let provider = ScriptedProvider::start(Script::parse(script).unwrap(), 0).await.unwrap();
        let app = App::new(Folders::new(folder.path().join("settings"), folder.path().join("state")));
        let mut choice = ProviderChoice::default();
        choice.base_url = Some(format!("{}/v1", provider.base_url()));
        choice.model = Some("scripted-1".to_owned());
        let chosen = Provider::select(&app, &choice, &ProviderOptions::default()).unwrap();
        let mut template = RunSettings::new("", chosen, folder.path()).unwrap();
        template.servers = false;
        template.no_checkpoints = true;
        change(&mut template);
        let host = SessionHost::new(&app).unwrap();
        let agent = AcpAgent::new(app, host.clone(), template, AcpOptions::default());
        Self { _folder: folder, project, host, agent, provider }
    }

    /// Connects a client.
    pub(crate) fn connect(&self) -> Client {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = split(far);
        let agent = self.agent.clone();
        let serving =
            tokio::spawn(async move { agent.serve_until(reader, writer, std::future::pending()).await });
        let (reader, writer) = split(near);
        Client { reader: BufReader::new(reader), writer, last: 0, seen: VecDeque::new(), serving }
    }

    pub(crate) fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.project.join(name)).ok()
    }

    /// Returns the bodies of the requests to the provider.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.provider.requests().iter().map(|request| request.body.to_string()).collect()
    }

    pub(crate) async fn shutdown(self) {
        self.host.stop_all().await;
        self.provider.shutdown().await;
    }
}

/// A client that sees every message of the agent.
pub(crate) struct Client {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    last: u64,
    /// Messages that arrived while the client waited for another one.
    pub(crate) seen: VecDeque<Value>,
    pub(crate) serving: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Client {
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn read(&mut self) -> Value {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.reader.read_line(&mut line));
        let count = read.await.expect("a message arrives in time").unwrap();
        assert!(count > 0, "the agent closed the connection");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Reads until a message fits, and returns it. The other ones go to `seen`.
    pub(crate) async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.read().await;
            if fits(&message) {
                return message;
            }
            self.seen.push_back(message);
        }
    }

    /// Sends a request, and returns its id.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// Reads the response to a request.
    pub(crate) async fn response(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id && message["method"].is_null()).await
    }

    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.response(id).await
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Opens a new session.
    pub(crate) async fn open(&mut self, folder: &Path) -> String {
        let opened = self.call("session/new", json!({"cwd": folder, "mcpServers": []})).await;
        opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
    }

    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{"type": "text", "text": text}]);
        self.begin("session/prompt", json!({"sessionId": session, "prompt": prompt})).await
    }

    /// Reads until the agent asks for a permission.
    pub(crate) async fn permission(&mut self) -> Value {
        self.until(|message| message["method"] == "session/request_permission").await
    }

    /// Chooses an option of a permission.
    pub(crate) async fn choose(&mut self, request: &Value, option: &str) {
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": outcome})).await;
    }

    /// Returns the updates that arrived, and forgets them.
    pub(crate) fn updates(&mut self) -> Vec<Value> {
        let updates = self.seen.drain(..).filter(|message| message["method"] == "session/update");
        updates.map(|message| message["params"]["update"].clone()).collect()
    }

    /// Closes the connection, and waits for the end of the agent.
    pub(crate) async fn close(self) {
        drop((self.reader, self.writer));
        let end = tokio::time::timeout(PATIENCE, self.serving).await.expect("the agent ends").unwrap();
        // A response can still be on its way.
        drop(end);
    }
}

/// Returns the text of all chunks of a kind.
pub(crate) fn text_of(updates: &[Value], kind: &str) -> String {
    let chunks = updates.iter().filter(|update| update["sessionUpdate"] == kind);
    chunks.filter_map(|update| update["content"]["text"].as_str()).collect()
}
