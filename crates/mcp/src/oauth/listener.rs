//! Where the browser comes back to: one address of this machine, for one answer.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The longest request of a browser that is read, and how long one is waited for.
const HEAD_BYTES: usize = 16 * 1024;
const HEAD_TIME: Duration = Duration::from_secs(5);
/// The most connections at once; more wait.
const MOST: usize = 16;
const PATH: &str = "/callback";

const DONE: &str = "You are signed in. You can close this page and go on where you came from.";
const ELSEWHERE: &str = "There is nothing here.";

/// A port of this machine that waits for the browser.
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

    /// What the authority is told to send the browser to.
    pub(crate) fn address(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits until the browser comes with an answer that is meant for this sign-in, and gives its whole address. Requests
    /// for anything else get nothing.
    pub(crate) async fn answer(&self, state: &str) -> io::Result<String> {
        // Beside each other: browsers open connections before they need them, and say nothing on some.
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

/// Answers one request; returns its address if it is the answer that is waited for.
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

/// What a browser asks for.
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
