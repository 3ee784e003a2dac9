//! The server of the kit: HTTP/1.1 on the loopback interface, one request for each connection.

use std::io;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::check::{OrRule as _, RuleResult};
use super::rule::TransportRule;

/// The largest request that the server reads.
const MAX_REQUEST: usize = 4 << 20;

pub(super) struct Server {
    listener: TcpListener,
    origin: String,
}

/// A request that the server has received.
#[derive(Debug, Default)]
pub(super) struct ReceivedRequest {
    pub(super) method: String,
    pub(super) target: String,
    /// The headers in their order, with names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Server {
    pub(super) async fn start() -> RuleResult<Self> {
        let start = async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let origin = format!("http://{}", listener.local_addr()?);
            Ok::<_, io::Error>(Self { listener, origin })
        };
        start.await.or_rule(TransportRule::ReportsUnreachable, "the server of the kit could not be started")
    }

    pub(super) fn url(&self, target: &str) -> String {
        format!("{}{target}", self.origin)
    }

    /// Accepts a connection and reads its request.
    pub(super) async fn receive(&self) -> io::Result<(TcpStream, ReceivedRequest)> {
        let (mut socket, _) = self.listener.accept().await?;
        let received = read(&mut socket).await?;
        Ok((socket, received))
    }

    /// Answers every request with the bytes that `reply` returns for it, and never ends.
    pub(super) async fn serve(&self, mut reply: impl FnMut(ReceivedRequest) -> Vec<u8>) -> io::Result<()> {
        loop {
            let (mut socket, received) = self.receive().await?;
            socket.write_all(&reply(received)).await?;
            socket.shutdown().await?;
        }
    }
}

/// Returns a response with its length.
pub(super) fn respond(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

async fn read(socket: &mut TcpStream) -> io::Result<ReceivedRequest> {
    let mut bytes = BytesMut::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        read_more(socket, &mut bytes).await?;
    };
    let head = String::from_utf8_lossy(&bytes.split_to(end.saturating_add(4))).into_owned();
    let mut received = parse_head(&head);
    let length = received.headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse::<usize>().ok()).unwrap_or(0);
    while bytes.len() < length {
        read_more(socket, &mut bytes).await?;
    }
    received.body = bytes.to_vec();
    Ok(received)
}

async fn read_more(socket: &mut TcpStream, bytes: &mut BytesMut) -> io::Result<()> {
    if bytes.len() > MAX_REQUEST {
        return Err(io::Error::other("the request is too large"));
    }
    match socket.read_buf(bytes).await? {
        0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        _ => Ok(()),
    }
}

fn parse_head(head: &str) -> ReceivedRequest {
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    ReceivedRequest { method, target, headers: lines.filter_map(header).collect(), body: Vec::new() }
}
