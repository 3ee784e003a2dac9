//! The local HTTP listener to which the browser returns with the authorization code.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Maximum length of a browser's request in bytes, and time limit of reading it and of answering it.
const HEAD_BYTES: usize = 16 * 1024;
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Maximum number of concurrent connections; further ones wait.
const MOST: usize = 16;
const PATH: &str = "/callback";

const DONE: &str = "You are signed in. You can close this page.";
const ELSEWHERE: &str = "This page does not exist.";

/// A listener on a port of this machine.
pub(crate) struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    pub(crate) async fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Returns the redirect URI.
    pub(crate) fn address(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for a request to the redirect URI with this state, and returns its whole URL. Other requests get
    /// status 404. Cancel-safe.
    pub(crate) async fn answer(&self, state: &str) -> io::Result<String> {
        // Connections are served concurrently, because browsers open some in advance and leave them silent.
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = windlass_web_reach::accept(&self.listener), if connections.len() < MOST => {
                    connections.spawn(serve(accepted?.0, self.address, state.to_owned()));
                }
                Some(served) = connections.join_next() => {
                    if let Ok(Some(answer)) = served {
                        return Ok(answer);
                    }
                }
            }
        }
    }
}

/// Answers one request, and returns its URL if it has the expected path and state.
async fn serve(mut stream: TcpStream, address: SocketAddr, state: String) -> Option<String> {
    let target = tokio::time::timeout(HEAD_TIME, target(&mut stream)).await.ok()?.ok()?;
    let whole = format!("http://{address}{target}");
    let is_ours = url::Url::parse(&whole).is_ok_and(|url| {
        url.path() == PATH && url.query_pairs().any(|(key, value)| key == "state" && value == state)
    });
    let (status, words) = if is_ours { ("200 OK", DONE) } else { ("404 Not Found", ELSEWHERE) };
    let _ = tokio::time::timeout(HEAD_TIME, reply(&mut stream, status, words)).await;
    is_ours.then_some(whole)
}

/// Reads the head of a GET request, and returns its target.
async fn target(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let len = stream.read(&mut chunk).await?;
        head.extend_from_slice(chunk.get(..len).unwrap_or_default());
        if len == 0 || head.len() > HEAD_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = std::str::from_utf8(line).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    match line.split(' ').collect::<Vec<_>>()[..] {
        ["GET", target, _] if target.starts_with('/') => Ok(target.to_owned()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

async fn reply(stream: &mut TcpStream, status: &str, words: &str) -> io::Result<()> {
    let page = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\ncache-control: \
         no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{words}",
        words.len()
    );
    stream.write_all(page.as_bytes()).await?;
    stream.shutdown().await
}
