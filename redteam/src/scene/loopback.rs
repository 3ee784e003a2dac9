//! Servers on this machine that count connections: two small web servers, and a port that only listens.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context as _;

/// Two web servers and a listener. They live as long as the process of the case.
#[derive(Debug)]
pub(crate) struct Loopback {
    first: SocketAddr,
    port: u16,
    seen: Arc<RequestCounts>,
}

/// The counts of connections and requests.
#[derive(Debug, Default)]
struct RequestCounts {
    requests: AtomicU64,
    second_saw_credentials: AtomicBool,
    accepts: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Host {
    First,
    Second,
}

impl Loopback {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let bind = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port of this machine is free");
        let (first, second, counted) = (bind()?, bind()?, bind()?);
        let seen = Arc::new(RequestCounts::default());
        let (address, other, port) =
            (first.local_addr()?, second.local_addr()?, counted.local_addr()?.port());
        for (listener, host) in [(first, Host::First), (second, Host::Second)] {
            let seen = Arc::clone(&seen);
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let seen = Arc::clone(&seen);
                    std::thread::spawn(move || answer(stream, host, other, &seen));
                }
            });
        }
        let counts = Arc::clone(&seen);
        std::thread::spawn(move || {
            for _ in counted.incoming().flatten() {
                counts.accepts.fetch_add(1, Ordering::SeqCst);
            }
        });
        Ok(Self { first: address, port, seen })
    }

    /// Returns the address of the first web server.
    pub(crate) fn address(&self) -> SocketAddr {
        self.first
    }

    /// Returns the port that must not be connected to.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn accepts(&self) -> u64 {
        self.seen.accepts.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.seen.requests.load(Ordering::SeqCst)
    }

    pub(crate) fn second_saw_credentials(&self) -> bool {
        self.seen.second_saw_credentials.load(Ordering::SeqCst)
    }
}

/// Answers one request: `/redir?to=URL`, `/redir_auth`, `/slow?bytes_per_s=N`, or a page.
fn answer(stream: TcpStream, host: Host, other: SocketAddr, seen: &RequestCounts) -> Option<()> {
    seen.requests.fetch_add(1, Ordering::SeqCst);
    let mut stream = stream;
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let request = lines.next()?.ok()?;
    let path = request.split_whitespace().nth(1)?.to_owned();
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        if host == Host::Second && matches!(name.as_str(), "authorization" | "cookie" | "proxy-authorization")
        {
            seen.second_saw_credentials.store(true, Ordering::SeqCst);
        }
    }
    let (place, query) = path.split_once('?').unwrap_or((&path, ""));
    let parameter = |name: &str| {
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
    };
    let redirect = |to: &str| {
        format!(
            "HTTP/1.1 302 Found\r\nlocation: {to}\r\nset-cookie: session=kept\r\ncontent-length: 0\r\n\r\n"
        )
    };
    match place {
        "/redir" => stream.write_all(redirect(&parameter("to")?).as_bytes()).ok(),
        "/redir_auth" => stream.write_all(redirect(&format!("http://{other}/second")).as_bytes()).ok(),
        "/slow" => drip(&mut stream, parameter("bytes_per_s")?.parse().ok()?),
        _ => {
            let body = "<html><body>hello from loopback</body></html>";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n";
            write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).ok()
        }
    }
}

/// Sends an endless body at this number of bytes per second.
fn drip(stream: &mut TcpStream, bytes_per_second: u64) -> Option<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n").ok()?;
    let pause = Duration::from_millis(1000_u64.checked_div(bytes_per_second)?);
    loop {
        stream.write_all(b"x").ok()?;
        std::thread::sleep(pause);
    }
}
