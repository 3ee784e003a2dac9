//! Connections of the HTTP transport to servers without TLS: their reuse, their end, and the pieces that they hand over.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, mpsc};
use windlass_client::{HttpOptions, HttpTransport, Transport as _, TransportRequest};

const PIECES: usize = 50;
/// More than a slow machine needs.
const LONG: Duration = Duration::from_mins(1);

/// Returns an answer in pieces.
fn answer() -> String {
    let mut answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
    for number in 0..PIECES {
        let piece = format!("piece {number} ");
        let _ = write!(answer, "{:x}\r\n{piece}\r\n", piece.len());
    }
    answer + "0\r\n\r\n"
}

fn text() -> String {
    (0..PIECES).fold(String::new(), |text, number| text + &format!("piece {number} "))
}

/// Reads a request with an empty body. Returns false at the end of the connection.
async fn read_request(stream: &mut TcpStream) -> bool {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte).await {
            Ok(1) => bytes.extend_from_slice(&byte),
            _ => return false,
        }
    }
    true
}

/// A server that answers each request, and counts its connections and its requests.
struct KeptServer {
    url: String,
    connections: Arc<AtomicUsize>,
    /// One message for each connection that its client closed.
    ends: mpsc::UnboundedReceiver<()>,
}

impl KeptServer {
    /// Starts a server that closes the sending half of a connection after this many answers.
    async fn start(answers: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, (sender, ends)) = (connections.clone(), mpsc::unbounded_channel());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let sender = sender.clone();
                tokio::spawn(async move {
                    for _ in 0..answers {
                        if !read_request(&mut stream).await {
                            break;
                        }
                        stream.write_all(answer().as_bytes()).await.unwrap();
                    }
                    drop(stream.shutdown().await);
                    let mut rest = Vec::new();
                    drop(stream.read_to_end(&mut rest).await);
                    assert!(rest.is_empty(), "a request to a closed connection");
                    let _ = sender.send(());
                });
            }
        });
        Self { url, connections, ends }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    async fn wait_for_end(&mut self) {
        tokio::time::timeout(LONG, self.ends.recv()).await.expect("the client closes the connection");
    }
}

fn transport() -> HttpTransport {
    HttpTransport::new(&HttpOptions::default()).unwrap()
}

async fn read(transport: &HttpTransport, url: &str) -> String {
    let answer = transport.send(TransportRequest::post(url, "")).await.unwrap();
    let pieces: Vec<_> = answer.body.collect().await;
    pieces.into_iter().map(|piece| String::from_utf8(piece.unwrap().to_vec()).unwrap()).collect()
}

#[tokio::test]
async fn answers_one_after_the_other_share_a_connection() {
    let server = KeptServer::start(usize::MAX).await;
    let transport = transport();
    for _ in 0..20 {
        assert_eq!(read(&transport, &server.url).await, text());
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn answers_at_the_same_time_have_connections_of_their_own() {
    let server = KeptServer::start(usize::MAX).await;
    let (transport, barrier) = (transport(), Barrier::new(10));
    for _ in 0..5 {
        let answers = (0..10).map(|_| async {
            let answer = transport.send(TransportRequest::post(&server.url, "")).await.unwrap();
            barrier.wait().await;
            answer.body.count().await
        });
        let pieces = join_all(answers).await;
        assert_eq!(pieces, [PIECES; 10]);
    }
    assert_eq!(server.connections(), 10);
}

#[tokio::test]
async fn all_pieces_that_arrived_are_ready_together() {
    let server = KeptServer::start(usize::MAX).await;
    let mut answer = transport().send(TransportRequest::post(&server.url, "")).await.unwrap();
    answer.body.next().await.unwrap().unwrap();
    // The server wrote the answer at once.
    let mut ready = 1;
    while let Some(piece) = answer.body.next().now_or_never() {
        let Some(piece) = piece else { break };
        piece.unwrap();
        ready += 1;
    }
    assert_eq!(ready, PIECES);
}

#[tokio::test]
async fn a_reader_that_stops_before_the_end_mark_keeps_the_connection() {
    let server = KeptServer::start(usize::MAX).await;
    let transport = transport();
    for _ in 0..3 {
        let mut answer = transport.send(TransportRequest::post(&server.url, "")).await.unwrap();
        let mut pieces = answer.body.by_ref().take(PIECES);
        while pieces.next().await.is_some() {}
        drop(answer);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn an_answer_that_is_dropped_early_closes_its_connection() {
    let mut server = KeptServer::start(usize::MAX).await;
    let transport = transport();
    let mut answer = transport.send(TransportRequest::post(&server.url, "")).await.unwrap();
    answer.body.next().await.unwrap().unwrap();
    drop(answer);
    server.wait_for_end().await;
    assert_eq!(read(&transport, &server.url).await, text());
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn an_idle_connection_that_the_server_closes_is_dropped() {
    let mut server = KeptServer::start(1).await;
    let transport = transport();
    for number in 1..=3 {
        assert_eq!(read(&transport, &server.url).await, text());
        server.wait_for_end().await;
        assert_eq!(server.connections(), number);
    }
}

#[tokio::test]
async fn a_connection_ends_with_its_transport() {
    let mut server = KeptServer::start(usize::MAX).await;
    let transport = transport();
    assert_eq!(read(&transport, &server.url).await, text());
    drop(transport);
    server.wait_for_end().await;
}

#[test]
fn a_connection_of_a_runtime_that_ended_is_replaced() {
    let transport = transport();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for _ in 0..2 {
        let runtime = runtime();
        runtime.block_on(async {
            let mut server = KeptServer::start(1).await;
            assert_eq!(read(&transport, &server.url).await, text());
            server.wait_for_end().await;
        });
    }
}

#[tokio::test]
async fn a_body_of_a_server_that_ends_early_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        let whole = answer();
        let (start, _) = whole.split_at(whole.len() - 5);
        stream.write_all(start.as_bytes()).await.unwrap();
    });
    let answer = transport().send(TransportRequest::post(&url, "")).await.unwrap();
    let pieces: Vec<_> = answer.body.collect().await;
    assert_eq!(pieces.len(), PIECES + 1);
    assert!(pieces.last().unwrap().is_err());
}
