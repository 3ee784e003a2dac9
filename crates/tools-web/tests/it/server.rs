//! A loopback server that sends exactly the bytes that a test gives it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Duration, interval};

/// One action of the server on a connection.
pub(crate) enum Step {
    Send(Vec<u8>),
    /// The same bytes repeatedly, as fast as the client reads them.
    Endless(Vec<u8>),
    /// Sends one byte after each interval.
    Drip(Duration),
    /// Sends nothing more and waits until the other side has closed.
    Hang,
}

type Script = dyn Fn(&str) -> Vec<Step> + Send + Sync;

/// The server. Dropping it closes all of its connections.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    bodies: Arc<Mutex<Vec<String>>>,
    left: Arc<Mutex<usize>>,
    _running: JoinSet<()>,
}

impl Server {
    /// A server that follows its script for the head of a request.
    pub(crate) async fn start(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, bodies, left) = (Arc::default(), Arc::default(), Arc::<Mutex<usize>>::default());
        let seen = (Arc::clone(&requests), Arc::clone(&bodies));
        let gone = Arc::clone(&left);
        let script: Arc<Script> = Arc::new(script);
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (script, seen, gone) = (Arc::clone(&script), seen.clone(), Arc::clone(&gone));
                connections.spawn(async move {
                    serve(stream, &*script, &seen.0, &seen.1).await;
                    *gone.lock().unwrap() += 1;
                });
            }
        });
        Self { address, requests, bodies, left, _running: running }
    }

    /// A server with the same answer for all.
    pub(crate) async fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |_| vec![Step::Send(answer.clone())]).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of all requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The bodies of all requests that had one.
    pub(crate) fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }

    /// Number of ended connections.
    pub(crate) fn left(&self) -> usize {
        *self.left.lock().unwrap()
    }
}

async fn serve(
    mut stream: TcpStream,
    script: &Script,
    seen: &Mutex<Vec<String>>,
    bodies: &Mutex<Vec<String>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    if let Some(length) = length {
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        bodies.lock().unwrap().push(String::from_utf8(body).unwrap());
    }
    seen.lock().unwrap().push(head.clone());
    for step in script(&head) {
        if perform(&mut stream, step).await.is_err() {
            return;
        }
    }
}

async fn perform(stream: &mut TcpStream, step: Step) -> std::io::Result<()> {
    match step {
        Step::Send(bytes) => stream.write_all(&bytes).await,
        Step::Endless(bytes) => loop {
            stream.write_all(&bytes).await?;
        },
        Step::Drip(every) => {
            let mut ticks = interval(every);
            loop {
                ticks.tick().await;
                stream.write_all(b"x").await?;
            }
        }
        Step::Hang => stream.read_u8().await.map(|_| ()),
    }
}

/// An answer with a length.
pub(crate) fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut answer =
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

/// The path that a request asks for.
pub(crate) fn path(head: &str) -> &str {
    head.split(' ').nth(1).unwrap()
}
