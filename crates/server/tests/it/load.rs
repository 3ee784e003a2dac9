//! Many readers in little memory, and a server without file descriptors. The server is a process of its own.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use windlass_mock::{Script, ScriptedProvider};

use crate::restart::{FOLDER, PROVIDER, Process, devices, serve};

const SLEEPS: &str = r#"{"turns": [
    {"steps": [{"text": "I sleep."}, {"call": {"name": "run_command", "arguments": {"command": "sleep 600"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "awake"}}}]}]}"#;

/// The longest time that a test waits for the server, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(3);

/// Set in a process that may open enough files for the readers.
const DRIVER: &str = "WINDLASS_TEST_DRIVER";

const READERS: usize = 1_000;
const MOST_MEGABYTES: u64 = 256;

/// Returns a command that runs a test of this program with a limit of open files.
fn limited(test: &str, files: u32) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]);
    command.arg(std::env::current_exe().unwrap()).args([test, "--exact", "--nocapture"]);
    command
}

/// Folders with a scripted provider, and the token of a device.
struct Setting {
    folder: tempfile::TempDir,
    provider: ScriptedProvider,
    token: String,
}

impl Setting {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let provider = ScriptedProvider::start(Script::parse(SLEEPS).unwrap(), 0).await.unwrap();
        let (_, token) = devices(folder.path()).add("laptop", 1).unwrap();
        Self { folder, provider, token }
    }

    async fn start(&self, test: &'static str, files: u32) -> Process {
        let (folder, token) = (self.folder.path().to_owned(), self.token.clone());
        let provider = format!("{}/v1", self.provider.base_url());
        let start = move || Process::start_with(limited(test, files), &folder, &provider, &token);
        tokio::task::spawn_blocking(start).await.unwrap()
    }
}

fn start_session(server: &Process) -> String {
    let body = json!({"task": "sleep"});
    let (status, run) = tokio::task::block_in_place(|| server.post("/api/sessions", &body));
    assert_eq!(status, 201, "{run}");
    run["session"].as_str().unwrap().to_owned()
}

/// A reader of a feed.
struct Reader {
    lines: tokio::io::Lines<BufReader<TcpStream>>,
}

impl Reader {
    async fn open(address: &str, token: &str, session: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!("GET /api/sessions/{session}/feed?after=0 HTTP/1.1\r\nhost: {address}\r\n");
        stream.write_all(format!("{head}authorization: Bearer {token}\r\n\r\n").as_bytes()).await.unwrap();
        Self { lines: BufReader::new(stream).lines() }
    }

    async fn until(&mut self, kind: &str) {
        let kind = format!("\"kind\":\"{kind}\"");
        let read = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                if line.contains(&kind) {
                    return;
                }
            }
            panic!("the feed ended before {kind}");
        };
        tokio::time::timeout(PATIENCE, read).await.expect("the reader gets the event in time");
    }
}

async fn get(address: &str, token: &str, path: &str) -> Option<String> {
    let read = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
        stream.write_all(format!("{head}authorization: Bearer {token}\r\n\r\n").as_bytes()).await.ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await.ok()?;
        text.starts_with("HTTP/1.1 200").then_some(text)
    };
    tokio::time::timeout(Duration::from_secs(10), read).await.ok()?
}

/// Returns the largest resident memory that a process had, in MiB.
fn peak_megabytes(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

const MANY: &str = "load::a_thousand_readers_fit_into_256_megabytes";

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_readers_fit_into_256_megabytes() {
    match (std::env::var_os(FOLDER), std::env::var(PROVIDER), std::env::var_os(DRIVER)) {
        (Some(folder), Ok(provider), _) => serve(Path::new(&folder), provider).await,
        (_, _, Some(_)) => drive_readers().await,
        _ => {
            let mut driver = limited(MANY, 4_096);
            let driver = driver.env(DRIVER, "1").stdin(Stdio::null()).output().unwrap();
            assert!(driver.status.success(), "{}", String::from_utf8_lossy(&driver.stdout));
        }
    }
}

async fn drive_readers() {
    let setting = Setting::new().await;
    let server = setting.start(MANY, 4_096).await;
    let session = start_session(&server);
    let mut readers = Vec::new();
    for _ in 0..READERS {
        readers.push(Reader::open(&server.address, &server.token, &session).await);
    }
    for reader in &mut readers {
        reader.until("question_opened").await;
    }
    let metrics = get(&server.address, &server.token, "/metrics").await.unwrap();
    assert!(metrics.contains(&format!("windlass_feed_readers {READERS}\n")), "{metrics}");
    let path = format!("/api/sessions/{session}/stop");
    let (status, _): (u16, Value) = tokio::task::block_in_place(|| server.post(&path, &json!({})));
    assert!(status < 300, "{status}");
    for reader in &mut readers {
        reader.until("run_ended").await;
    }
    let megabytes = peak_megabytes(server.id());
    assert!(megabytes < MOST_MEGABYTES, "{READERS} readers need {megabytes} MiB");
}

/// The largest number of open files of the server without file descriptors.
const FILES: u32 = 48;

const FEW: &str = "load::a_server_without_file_descriptors_recovers";

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_file_descriptors_recovers() {
    if let (Some(folder), Ok(provider)) = (std::env::var_os(FOLDER), std::env::var(PROVIDER)) {
        return serve(Path::new(&folder), provider).await;
    }
    let setting = Setting::new().await;
    let server = setting.start(FEW, FILES).await;
    assert!(get(&server.address, &server.token, "/health").await.is_some());
    // The system completes more connections than the server can accept: `accept` fails with EMFILE.
    let mut idle = Vec::new();
    for _ in 0..FILES * 2 {
        idle.push(TcpStream::connect(&server.address).await.unwrap());
    }
    let open = || std::fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap().count();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while open() < FILES as usize {
        assert!(tokio::time::Instant::now() < deadline, "the server has {} of {FILES} files", open());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(idle);
    while get(&server.address, &server.token, "/health").await.is_none() {
        assert!(tokio::time::Instant::now() < deadline, "the server does not answer any more");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
