//! A loopback server that sends the test's answers, and stores the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The server. Dropping it closes all of its connections.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    _running: JoinSet<()>,
}

impl Server {
    /// Starts a server. `answer` returns the response to the head and the body of a request. An empty answer keeps
    /// the connection open.
    pub(crate) async fn start(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&requests);
        let answer = Arc::new(answer);
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                connections.spawn(async move { serve(stream, &*answer, &seen).await });
            }
        });
        Self { address, requests, _running: running }
    }

    /// Starts a server with the same answer for all requests.
    pub(crate) async fn saying(status: &str, media: &str, body: &str) -> Self {
        let answer = reply(status, media, body);
        Self::start(move |_| answer.clone()).await
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the heads of all requests, each with its body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Returns an answer.
pub(crate) fn reply(status: &str, media: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {media}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

async fn serve(
    mut stream: TcpStream,
    answer: &(dyn Fn(&str) -> String + Send + Sync),
    seen: &Mutex<Vec<String>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let mut request = String::from_utf8(head).unwrap();
    let length = request.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.unwrap();
    request.push_str(&String::from_utf8(body).unwrap());
    let reply = answer(&request);
    seen.lock().unwrap().push(request);
    if reply.is_empty() {
        let _ = stream.read_u8().await;
    } else {
        let _ = stream.write_all(reply.as_bytes()).await;
    }
}
