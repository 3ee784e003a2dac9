//! A server in memory that follows its script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, WriteHalf, split};
use windlass_mcp::{
    ClientOptions, ConnectFuture, Connector, McpClient, McpLimits, McpServer, Pipes, StartError,
};

/// The reaction of the server to a request: it sends these lines, then continues or ends.
pub(crate) type Answers = dyn FnMut(&Value) -> Vec<Say> + Send;

/// Something that the server does.
pub(crate) enum Say {
    /// Writes bytes as they are.
    Bytes(Vec<u8>),
    /// Writes a message.
    Message(Value),
    /// Ends.
    Die,
}

/// Reaches fake servers, a new one each time.
pub(crate) struct FakeServer {
    answers: Arc<Mutex<Box<Answers>>>,
    /// The requests to the servers of all connections together.
    pub(crate) heard: Arc<Mutex<Vec<Value>>>,
    /// Number of connections to one server.
    pub(crate) lives: Arc<Mutex<usize>>,
    /// True if `server/discover` reaches the script. Otherwise the server does not know the method.
    is_stateless: bool,
    /// Written into every new connection before anything else.
    banner: Vec<u8>,
    writer: Arc<tokio::sync::Mutex<Option<WriteHalf<DuplexStream>>>>,
}

impl FakeServer {
    pub(crate) fn new(answers: impl FnMut(&Value) -> Vec<Say> + Send + 'static) -> Arc<Self> {
        Self::with_banner(b"", answers)
    }

    pub(crate) fn with_banner(
        banner: &[u8],
        answers: impl FnMut(&Value) -> Vec<Say> + Send + 'static,
    ) -> Arc<Self> {
        Self::build(banner, false, answers)
    }

    /// A server of protocol version 2026-07-28.
    pub(crate) fn stateless(answers: impl FnMut(&Value) -> Vec<Say> + Send + 'static) -> Arc<Self> {
        Self::build(b"", true, answers)
    }

    fn build(
        banner: &[u8],
        is_stateless: bool,
        answers: impl FnMut(&Value) -> Vec<Say> + Send + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            is_stateless,
            answers: Arc::new(Mutex::new(Box::new(answers))),
            heard: Arc::default(),
            lives: Arc::default(),
            banner: banner.to_vec(),
            writer: Arc::default(),
        })
    }

    /// Requests and notifications of a method.
    pub(crate) fn heard_of(&self, method: &str) -> Vec<Value> {
        let heard = self.heard.lock().unwrap();
        heard.iter().filter(|message| message["method"] == method).cloned().collect()
    }

    /// Sends a message without a request.
    pub(crate) async fn say(&self, message: Value) {
        let mut writer = self.writer.lock().await;
        let line = format!("{message}\n");
        writer.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn client(self: &Arc<Self>) -> Result<McpClient, StartError> {
        self.client_of("fake", McpLimits::default(), ClientOptions::default()).await
    }

    pub(crate) async fn client_of(
        self: &Arc<Self>,
        id: &str,
        limits: McpLimits,
        options: ClientOptions,
    ) -> Result<McpClient, StartError> {
        let server = McpServer::new(id, "no program").unwrap().with_limits(limits);
        McpClient::connect(server, self.clone(), options).await
    }
}

impl Connector for FakeServer {
    fn connect(&self) -> ConnectFuture<'_> {
        Box::pin(async {
            *self.lives.lock().unwrap() += 1;
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let (reader, writer) = split(theirs);
            *self.writer.lock().await = Some(writer);
            let is_stateless = self.is_stateless;
            let (answers, heard, banner, writer) =
                (self.answers.clone(), self.heard.clone(), self.banner.clone(), self.writer.clone());
            tokio::spawn(async move {
                if !banner.is_empty() {
                    let mut writer = writer.lock().await;
                    if writer.as_mut().unwrap().write_all(&banner).await.is_err() {
                        return;
                    }
                }
                let mut lines = BufReader::new(reader).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    let message: Value = serde_json::from_str(&line).unwrap();
                    heard.lock().unwrap().push(message.clone());
                    let mut says = if message["method"] == "server/discover" && !is_stateless {
                        VecDeque::from([refusal(&message, -32601)])
                    } else {
                        VecDeque::from((answers.lock().unwrap())(&message))
                    };
                    while let Some(say) = says.pop_front() {
                        let mut writer = writer.lock().await;
                        let bytes = match say {
                            Say::Bytes(bytes) => bytes,
                            Say::Message(message) => format!("{message}\n").into_bytes(),
                            Say::Die => {
                                *writer = None;
                                return;
                            }
                        };
                        let Some(open) = writer.as_mut() else { return };
                        if open.write_all(&bytes).await.is_err() {
                            return;
                        }
                    }
                }
            });
            let (reader, writer) = split(ours);
            Ok(Pipes::new(reader, writer))
        })
    }
}

/// A well-behaved answer to a request, with these tools; a call is answered with its own params as text.
pub(crate) fn polite(message: &Value, tools: &Value) -> Vec<Say> {
    let result = match message["method"].as_str() {
        Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"}}),
        Some("tools/list") => json!({"tools": tools}),
        Some("tools/call") => {
            json!({"content": [{"type": "text", "text": format!("called {}", message["params"])}]})
        }
        _ => return Vec::new(),
    };
    vec![answer(message, &result)]
}

pub(crate) fn answer(message: &Value, result: &Value) -> Say {
    Say::Message(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

pub(crate) fn refusal(message: &Value, code: i32) -> Say {
    Say::Message(json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": "no"}}))
}

pub(crate) fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("does {name}"), "inputSchema": {"type": "object"}})
}

/// A server with these tools that behaves well.
pub(crate) fn with_tools(tools: Value) -> Arc<FakeServer> {
    FakeServer::new(move |message| polite(message, &tools))
}

/// Announces a change of the tools, waits until the client has read the announcement, and updates the
/// client's list.
pub(crate) async fn changed(server: &FakeServer, client: &McpClient) {
    let before = client.skip_counts().list_changes;
    server.say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
    while client.skip_counts().list_changes == before {
        tokio::task::yield_now().await;
    }
    client.refresh().await.unwrap();
}
