//! A server on this machine with a scripted provider, and a small HTTP client.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::SessionHost;
use windlass_app::{App, Folders, RunSettings};
use windlass_mock::{Script, ScriptedProvider};
use windlass_server::{Devices, Server, ServerOptions};

/// The longest time that a test waits for the server.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A response: the status, the head in lower case, and the body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A server with its own folders.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) host: SessionHost,
    pub(crate) app: App,
    pub(crate) template: RunSettings,
    provider: ScriptedProvider,
    stop: oneshot::Sender<()>,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Place {
    pub(crate) async fn new(script: &str) -> Self {
        Self::with_options(script, ServerOptions::default()).await
    }

    pub(crate) async fn with_options(script: &str, options: ServerOptions) -> Self {
        Self::build(script, options, |_| {}, |server, _| server).await
    }

    /// Starts a server with web push. `push` receives the path of the file for it.
    #[cfg(feature = "web-push")]
    pub(crate) async fn with_push(
        script: &str,
        options: ServerOptions,
        push: impl FnOnce(std::path::PathBuf) -> windlass_server::WebPush,
    ) -> Self {
        let add = |server: Server, state: &Path| server.with_web_push(push(state.join("push.json")));
        Self::build(script, options, |_| {}, add).await
    }

    /// Starts a server whose runs have changed settings.
    pub(crate) async fn with_template(script: &str, change: impl FnOnce(&mut RunSettings)) -> Self {
        Self::build(script, ServerOptions::default(), change, |server, _| server).await
    }

    async fn build(
        script: &str,
        options: ServerOptions,
        change: impl FnOnce(&mut RunSettings),
        add: impl FnOnce(Server, &Path) -> Server,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let provider = ScriptedProvider::start(Script::parse(script).unwrap(), 0).await.unwrap();
        let app = App::new(Folders::new(folder.path().join("settings"), folder.path().join("state")));
        let mut choice = ProviderChoice::default();
        choice.base_url = Some(format!("{}/v1", provider.base_url()));
        choice.model = Some("scripted-1".to_owned());
        let chosen = Provider::select(&app, &choice, &ProviderOptions::default()).unwrap();
        let mut template = RunSettings::new("", chosen, &project).unwrap();
        template.servers = false;
        template.no_checkpoints = true;
        change(&mut template);
        let devices = Devices::new(folder.path().join("state/devices.json"));
        let (_, token) = devices.add("laptop", 1).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let host = SessionHost::new(&app).unwrap();
        let server = Server::new(host.clone(), template.clone(), devices, options);
        let server = add(server, &folder.path().join("state"));
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(server.serve_until(listener, async {
            drop(stopped.await);
        }));
        Self { folder, address, token, host, app, template, provider, stop, serving }
    }

    /// Returns the devices, as another process uses their file.
    pub(crate) fn devices(&self) -> Devices {
        Devices::new(self.folder.path().join("state/devices.json"))
    }

    /// Sends bytes and reads the answer until the server closes the connection.
    pub(crate) async fn send(&self, bytes: &[u8]) -> Answer {
        let work = async {
            let mut stream = TcpStream::connect(&self.address).await.unwrap();
            stream.write_all(bytes).await.unwrap();
            let mut read = Vec::new();
            drop(stream.read_to_end(&mut read).await);
            parse(&read)
        };
        tokio::time::timeout(PATIENCE, work).await.expect("the server answers in time")
    }

    /// Sends a request with these headers.
    pub(crate) async fn request(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.address);
        for header in headers {
            text += &format!("{header}\r\n");
        }
        if !body.is_empty() {
            text += &format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        }
        self.send(format!("{text}\r\n{body}").as_bytes()).await
    }

    /// Sends a request with the token of the device.
    pub(crate) async fn call(&self, method: &str, path: &str, body: &str) -> Answer {
        self.request(method, path, &[&format!("authorization: Bearer {}", self.token)], body).await
    }

    /// Starts a session with a task, and returns its id.
    pub(crate) async fn start(&self, task: &str) -> String {
        let body = serde_json::json!({ "task": task }).to_string();
        let answer = self.call("POST", "/api/sessions", &body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["session"].as_str().unwrap().to_owned()
    }

    /// Opens the feed of a session after a number.
    pub(crate) async fn open_feed(&self, session: &str, after: u64) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let head = format!(
            "GET /api/sessions/{session}/feed?after={after} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
            self.address, self.token
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }

    /// Reads the feed of a session after a number, until an event of this kind.
    pub(crate) async fn feed_until(&self, session: &str, after: u64, kind: &str) -> Vec<Value> {
        let work = async {
            let mut stream = self.open_feed(session, after).await;
            let (mut text, mut events) = (String::new(), Vec::new());
            let mut buffer = vec![0; 65_536];
            loop {
                let read = stream.read(&mut buffer).await.unwrap();
                assert!(read > 0, "the feed ended: {text}");
                text += &String::from_utf8_lossy(&buffer[..read]);
                // The sizes of chunks are on lines between the lines of events.
                while let Some(end) = text.find('\n') {
                    let line: String = text.drain(..=end).collect();
                    let Some(data) = line.trim_end().strip_prefix("data: ") else { continue };
                    let event: Value = serde_json::from_str(data).unwrap();
                    let is_last = event["kind"] == kind;
                    events.push(event);
                    if is_last {
                        return events;
                    }
                }
            }
        };
        tokio::time::timeout(PATIENCE, work).await.expect("the event arrives in time")
    }

    /// Waits until the run of a session, which has its last event, has ended in the host.
    pub(crate) async fn wait_for_end(&self, session: &str) {
        let ended = async {
            while let Some(run) = self.host.handle(session) {
                run.wait().await;
            }
        };
        tokio::time::timeout(PATIENCE, ended).await.expect("the run ends");
    }

    pub(crate) async fn shutdown(self) {
        drop(self.stop);
        tokio::time::timeout(PATIENCE, self.serving).await.expect("the server ends").unwrap().unwrap();
        self.host.stop_all().await;
        self.provider.shutdown().await;
    }
}

fn parse(read: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(read);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}
