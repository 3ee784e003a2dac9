//! A server over HTTP on this machine that follows its script.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
    /// The body as it came.
    pub(crate) text: String,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Returns the method of the message in the body.
    pub(crate) fn asks(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
}

/// The reaction of the server to a request.
pub(crate) enum Reply {
    /// A whole answer.
    Whole { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// Events, then the end of the stream.
    Events { events: Vec<String>, then: Then },
}

/// The end of the stream after events.
pub(crate) enum Then {
    /// The stream is closed.
    Close,
    /// More events, as soon as the list has some.
    More(Arc<Mutex<Vec<String>>>),
}

pub(crate) type Script = dyn FnMut(&Heard) -> Reply + Send;

pub(crate) struct WebServer {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
    task: tokio::task::JoinHandle<()>,
}

impl WebServer {
    pub(crate) async fn start(script: impl FnMut(&Heard) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let heard = Arc::<Mutex<Vec<Heard>>>::default();
        let script: Arc<Mutex<Box<Script>>> = Arc::new(Mutex::new(Box::new(script)));
        let record = heard.clone();
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                tokio::spawn(serve(stream, script.clone(), record.clone()));
            }
        });
        Self { url, heard, task }
    }

    /// Everything that was heard.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    /// Returns the requests whose message has a method.
    pub(crate) fn heard_of(&self, method: &str) -> Vec<Heard> {
        self.heard().into_iter().filter(|heard| heard.asks() == method).collect()
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, script: Arc<Mutex<Box<Script>>>, record: Arc<Mutex<Vec<Heard>>>) {
    let Some(heard) = hear(&mut stream).await else { return };
    record.lock().unwrap().push(heard.clone());
    let reply = (script.lock().unwrap())(&heard);
    match reply {
        Reply::Whole { status, headers, body } => {
            let headers: Vec<String> =
                headers.into_iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let answer = format!(
                "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n{}\r\n{body}",
                body.len(),
                headers.concat()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
        Reply::Events { events, then } => {
            let begin = "HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(begin.as_bytes()).await;
            for event in events {
                let _ = stream.write_all(event.as_bytes()).await;
            }
            let Then::More(more) = then else { return };
            loop {
                let events: Vec<String> = std::mem::take(&mut *more.lock().unwrap());
                for event in events {
                    if stream.write_all(event.as_bytes()).await.is_err() {
                        return;
                    }
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }
}

async fn hear(stream: &mut TcpStream) -> Option<Heard> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        let len = stream.read(&mut chunk).await.ok().filter(|len| *len > 0)?;
        bytes.extend_from_slice(&chunk[..len]);
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap().split(' ').map(str::to_owned);
    let (method, target) = (first.next().unwrap(), first.next().unwrap());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        let len = stream.read(&mut chunk).await.ok().filter(|len| *len > 0)?;
        body.extend_from_slice(&chunk[..len]);
    }
    let text = String::from_utf8(body).unwrap();
    let body = serde_json::from_str(&text).unwrap_or_default();
    Some(Heard { method, target, headers, body, text })
}

pub(crate) fn status(status: u16) -> Reply {
    Reply::Whole { status, headers: Vec::new(), body: String::new() }
}

pub(crate) fn json_of(value: &Value) -> Reply {
    Reply::Whole {
        status: 200,
        headers: vec![("content-type", "application/json".to_owned())],
        body: value.to_string(),
    }
}

pub(crate) fn result(heard: &Heard, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": heard.body["id"], "result": result})
}

pub(crate) fn event(value: &Value) -> String {
    format!("event: message\ndata: {value}\n\n")
}

/// A well-behaved server with the tool `add` in sessions that it names; a call is answered with its params as text.
pub(crate) fn polite(heard: &Heard, session: &str) -> Reply {
    let value = match heard.asks() {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "web", "version": "1"}}),
        "tools/list" => json!({"tools": [crate::fake::tool("add")]}),
        "tools/call" => {
            json!({"content": [{"type": "text", "text": format!("called {}", heard.body["params"])}]})
        }
        _ if heard.method == "POST" => return status(202),
        _ => return status(405),
    };
    let mut reply = json_of(&result(heard, &value));
    if let (Reply::Whole { headers, .. }, "initialize") = (&mut reply, heard.asks()) {
        headers.push(("mcp-session-id", session.to_owned()));
    }
    reply
}
