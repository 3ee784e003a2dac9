//! A server that sends canned bytes, one answer for each connection, and stores the requests.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use windlass_client::{Client, Endpoint, Options};
use windlass_protocol::{Delivery, Message, Request};
use windlass_stream::{Chunk, Model, ModelError};
use windlass_wire_openai_chat::OpenAiChat;

pub(crate) const KEY: &str = "sk-planted-4f1c9a7e";

/// The answer of a server to one request, and its action afterwards.
#[derive(Clone)]
pub(crate) enum Reply {
    /// These bytes, then the connection is closed.
    Close(Vec<u8>),
    /// These bytes, then nothing more until the client disconnects.
    Hold(Vec<u8>),
    /// These bytes, then a comment every few milliseconds until the client disconnects.
    Ping(Vec<u8>),
}

pub(crate) struct Server {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts a server that sends the replies in turn and repeats the last one.
    pub(crate) async fn start(replies: Vec<Reply>) -> Self {
        Self::start_with(|_| replies).await
    }

    /// Like `start`, with replies that contain the address of the server.
    pub(crate) async fn start_with(replies: impl FnOnce(&str) -> Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let (base_url, replies) = (format!("{root}/v1"), replies(&root));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        let task = tokio::spawn(async move {
            for turn in 0_usize.. {
                let (mut socket, _) = listener.accept().await.unwrap();
                seen.lock().await.push(read_request(&mut socket).await);
                let reply = replies.get(turn).or(replies.last()).unwrap();
                give(&mut socket, reply).await;
            }
        });
        Self { base_url, requests, task }
    }

    pub(crate) async fn requests(&self) -> Vec<String> {
        self.requests.lock().await.clone()
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::custom(&self.base_url, "openai-chat").with_key_env("PLANTED_API_KEY")
    }

    pub(crate) fn client(&self, options: Options) -> Client {
        Client::new(self.endpoint(), Some(KEY.into()), Arc::new(OpenAiChat::default()), options).unwrap()
    }
}

async fn read_request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        if socket.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
        });
        if body.len() >= length.unwrap_or(0) {
            return text;
        }
    }
}

/// A client that disconnects is not a failure of the server.
async fn give(socket: &mut TcpStream, reply: &Reply) {
    match reply {
        Reply::Close(bytes) => {
            let _ = socket.write_all(bytes).await;
            let _ = socket.shutdown().await;
        }
        Reply::Hold(bytes) => {
            let _ = socket.write_all(bytes).await;
            while socket.read_u8().await.is_ok() {}
        }
        Reply::Ping(bytes) => {
            let _ = socket.write_all(bytes).await;
            let mut ticks = tokio::time::interval(Duration::from_millis(5));
            while socket.write_all(b": ping\n\n").await.is_ok() {
                ticks.tick().await;
            }
        }
    }
}

/// Returns a response with a status and its correct length.
pub(crate) fn response(status: u16, kind: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Word\r\ncontent-type: {kind}\r\n{headers}content-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

pub(crate) fn error(status: u16, headers: &str, body: &str) -> Reply {
    Reply::Close(response(status, "application/json", headers, body))
}

/// Returns a stream that ends with the connection.
pub(crate) fn events(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

pub(crate) const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n";
pub(crate) const END: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

pub(crate) fn hello() -> Reply {
    Reply::Close(events(&format!("{HELLO}{END}")))
}

/// Returns options with waits of a few milliseconds.
pub(crate) fn quick() -> Options {
    let tiny = Duration::from_millis(1);
    Options { backoff: tiny, longest_backoff: tiny, ..Options::default() }
}

pub(crate) fn request() -> Request {
    Request::new("scripted-1", vec![Message::user("hello")])
}

pub(crate) fn whole() -> Request {
    request().with_delivery(Delivery::Whole)
}

/// Returns the chunks, and the failure if the answer ended with one.
pub(crate) async fn ask(client: &Client, request: &Request) -> (Vec<Chunk>, Option<ModelError>) {
    ask_any(client, request).await
}

pub(crate) async fn ask_any(model: &dyn Model, request: &Request) -> (Vec<Chunk>, Option<ModelError>) {
    let mut chunks = Vec::new();
    let mut stream = match model.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return (chunks, Some(error)),
    };
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(chunk) => chunks.push(chunk),
            Err(error) => return (chunks, Some(error)),
        }
    }
    (chunks, None)
}

pub(crate) fn text(chunks: &[Chunk]) -> String {
    let text = |chunk: &Chunk| if let Chunk::Text { text } = chunk { Some(text.clone()) } else { None };
    chunks.iter().filter_map(text).collect()
}

/// Returns the messages of an error and of all its causes.
pub(crate) fn words(error: &ModelError) -> String {
    let mut text = format!("{error} {error:?}");
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
