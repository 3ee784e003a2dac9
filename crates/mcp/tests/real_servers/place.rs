//! The places of the servers, and their start.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use windlass_mcp::{ClientOptions, ConnectionOptions, McpConnections, McpLimits, McpServer};
use windlass_protocol::{Arguments, CallId, Content};
use windlass_tool::{AnswerFuture, Context, Human, Output, Progress, Question, ToolError};

/// Returns the folder in which servers are installed: that of a variable, or the one that `cargo xtask mcp` uses.
pub(crate) fn home() -> PathBuf {
    std::env::var_os("WINDLASS_MCP_SERVERS")
        .map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("mcp"), PathBuf::from)
}

/// The program of a server of npm; an error where it is not installed.
pub(crate) fn script(name: &str) -> Result<PathBuf, String> {
    let script = home().join("npm/node_modules/@modelcontextprotocol").join(name).join("dist/index.js");
    found(name, script)
}

/// The program of a server of Python.
pub(crate) fn program(name: &str) -> Result<PathBuf, String> {
    found(name, home().join("venv/bin").join(name))
}

fn found(name: &str, file: PathBuf) -> Result<PathBuf, String> {
    if file.exists() { Ok(file) } else { Err(format!("{name}: `cargo xtask mcp --install` installs it")) }
}

/// The everything server over pipes.
pub(crate) fn everything() -> Result<McpServer, String> {
    Ok(McpServer::new("everything", "node")
        .unwrap()
        .with_argument(script("server-everything")?)
        .with_argument("stdio"))
}

/// A server whose input is recorded, and whose process can be ended by its id in `pid`.
pub(crate) struct Recorded {
    folder: tempfile::TempDir,
}

impl Recorded {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Returns the `everything` server. Its input is also written to a file.
    pub(crate) fn everything(&self) -> Result<McpServer, String> {
        let script = script("server-everything")?;
        let line = "echo $$ > \"$1/pid\"; tee -a \"$1/sent\" | node \"$2\" stdio";
        let server = McpServer::new("everything", "sh").unwrap();
        Ok(server
            .with_argument("-c")
            .with_argument(line)
            .with_argument("sh")
            .with_argument(self.folder.path())
            .with_argument(script))
    }

    /// Returns the number of sent messages that contain a text.
    pub(crate) fn sent(&self, words: &str) -> usize {
        let sent = std::fs::read_to_string(self.folder.path().join("sent")).unwrap_or_default();
        sent.lines().filter(|line| line.contains(words)).count()
    }

    /// Waits until `count` messages that contain a text were sent.
    pub(crate) async fn wait_for(&self, words: &str, count: usize) {
        let sent = async {
            while self.sent(words) < count {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), sent).await.unwrap();
    }

    /// Kills the server with a signal that it cannot refuse.
    pub(crate) fn kill(&self) {
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).unwrap();
        let killed = std::process::Command::new("kill").args(["-9", pid.trim()]).status().unwrap();
        assert!(killed.success());
    }
}

/// Starts the `everything` server on a port, and returns its address.
pub(crate) async fn everything_over_http() -> Result<(Child, McpServer), String> {
    let script = script("server-everything")?;
    // The port is free now; a process that takes it before the server does makes this fail with an error.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new("node");
    command.arg(script).arg("streamableHttp").env("PORT", port.to_string()).kill_on_drop(true);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.contains("listening") {
            break;
        }
    }
    // The output must be read, or the server blocks.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((child, McpServer::http("everything", &format!("http://127.0.0.1:{port}/mcp")).unwrap()))
}

/// Limits for a busy machine.
pub(crate) fn patient() -> McpLimits {
    McpLimits { start: Duration::from_mins(1), backoff: Duration::from_millis(10), ..McpLimits::default() }
}

/// Starts a server; panics if it cannot be started.
pub(crate) async fn used(server: McpServer, options: ClientOptions) -> McpConnections {
    let options = ConnectionOptions::default().with_client(options);
    let connections = McpConnections::start([server], options).await.unwrap();
    connections.wait_until_settled().await;
    let (name, status) = &connections.status()[0];
    assert!(connections.client(name).unwrap().is_connected(), "{name}: {status:?}");
    connections
}

pub(crate) async fn call(
    connections: &McpConnections,
    tool: &str,
    arguments: &str,
) -> Result<Output, ToolError> {
    call_with(connections, tool, arguments, &context()).await
}

pub(crate) async fn call_with(
    connections: &McpConnections,
    tool: &str,
    arguments: &str,
    ctx: &Context,
) -> Result<Output, ToolError> {
    let server = connections.status()[0].0.clone();
    connections.call_tool(&server, tool, Arguments::parse(arguments.to_owned()).unwrap(), ctx).await
}

pub(crate) fn context() -> Context {
    Context::new(CallId::new("call_1").unwrap())
}

/// A context, and its messages.
pub(crate) fn listening() -> (Context, Arc<Mutex<Vec<Progress>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listen = told.clone();
    (context().with_progress(move |progress| listen.lock().unwrap().push(progress)), told)
}

/// Returns the texts of an output.
pub(crate) fn words(output: &Output) -> String {
    let text = |piece: &Content| match piece {
        Content::Text { text } | Content::Resource { text, .. } => text.clone(),
        Content::Structured { value } => value.to_string(),
        _ => String::new(),
    };
    output.content.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// A human who gives her name if a form requests it, and nothing else.
pub(crate) struct Ada;

impl Human for Ada {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        let is_name = question.text.contains("Your full, legal name");
        Box::pin(async move { Ok(if is_name { "Ada".to_owned() } else { String::new() }) })
    }
}
