//! The local HTTP listener to which the browser returns with the authorization code.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

/// Maximum length of a browser's request in bytes, and time limit of reading it and of answering it.
const HEAD_BYTES: usize = 16 * 1024;
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Maximum number of concurrent connections; further ones wait.
const MOST: usize = 16;
const PATH: &str = "/callback";

const DONE: &str = "You are signed in. You can close this page.";
const ELSEWHERE: &str = "This page does not exist.";

/// Listener on a port of this machine, to which a browser returns at the end of a sign-in.
///
/// ```
/// use tokio::io::AsyncWriteExt;
/// use windlass_web_reach::RedirectListener;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let listener = RedirectListener::bind(0).await?;
/// let mut browser = tokio::net::TcpStream::connect(("127.0.0.1", listener.port())).await?;
/// browser.write_all(b"GET /callback?code=abc HTTP/1.1\r\n\r\n").await?;
/// let url = listener.wait(|url| url.query_pairs().any(|(key, _)| key == "code")).await?;
/// assert_eq!(url.query(), Some("code=abc"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RedirectListener {
    listener: TcpListener,
    address: SocketAddr,
}

impl RedirectListener {
    /// Binds a port of the loopback address; 0 selects a free port.
    ///
    /// # Errors
    /// The port cannot be bound.
    pub async fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the redirect URI with this name of the machine, such as `127.0.0.1` or `localhost`.
    pub fn redirect_uri(&self, host: &str) -> String {
        format!("http://{host}:{}{PATH}", self.port())
    }

    /// Waits for a request to the redirect URI that is the expected one, and returns its whole URL. Other requests get
    /// status 404. Cancel-safe.
    ///
    /// # Errors
    /// The socket fails.
    pub async fn wait(&self, is_expected: impl Fn(&Url) -> bool + Clone + Send + 'static) -> io::Result<Url> {
        // Connections are served concurrently, because browsers open some in advance and leave them silent.
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = crate::accept(&self.listener), if connections.len() < MOST => {
                    connections.spawn(serve(accepted?.0, self.address, is_expected.clone()));
                }
                Some(served) = connections.join_next() => {
                    if let Ok(Some(url)) = served {
                        return Ok(url);
                    }
                }
            }
        }
    }
}

/// Answers one request, and returns its URL if it has the path and is the expected one.
async fn serve(
    mut stream: TcpStream,
    address: SocketAddr,
    is_expected: impl Fn(&Url) -> bool,
) -> Option<Url> {
    let target = tokio::time::timeout(HEAD_TIME, target(&mut stream)).await.ok()?.ok()?;
    let url = Url::parse(&format!("http://{address}{target}")).ok();
    let url = url.filter(|url| url.path() == PATH && is_expected(url));
    let (status, words) = if url.is_some() { ("200 OK", DONE) } else { ("404 Not Found", ELSEWHERE) };
    let _ = tokio::time::timeout(HEAD_TIME, reply(&mut stream, status, words)).await;
    url
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
