//! The proxy against any client and any request; dialled addresses are counted.

use std::net::IpAddr;
use std::sync::Mutex;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;
use crate::{CheckedAddress, DialFuture, Dialer, ResolveFuture, Resolver};
use windlass_web_reach::{Reach, Scope};

const PUBLIC: [u8; 4] = [93, 184, 216, 34];

/// Resolves names as the test states, connects public addresses to its server, and stores all dials.
#[derive(Clone)]
struct Fake {
    server: SocketAddr,
    dialed: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Resolver for Fake {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a> {
        let found: Vec<IpAddr> = match name {
            "public.test" => vec![PUBLIC.into()],
            "mixed.test" => vec![PUBLIC.into(), [10, 0, 0, 1].into()],
            "inside.test" => vec![[192, 168, 0, 1].into()],
            "many.test" => (1..=9).map(|last| IpAddr::from([8, 8, 8, last])).collect(),
            _ => Vec::new(),
        };
        Box::pin(async move { Ok(found) })
    }
}

impl Dialer for Fake {
    fn dial(&self, to: CheckedAddress) -> DialFuture<'_> {
        self.dialed.lock().unwrap().push(to.address());
        let is_served = to.address().ip() == IpAddr::from(PUBLIC) || to.address().ip().is_loopback();
        Box::pin(async move {
            if !is_served {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            TcpStream::connect(self.server).await?.into_std()
        })
    }
}

/// A proxy, and its server, which answers each request with the head of the request or with bytes of the test.
struct Place {
    proxy: Proxy,
    fake: Fake,
    gate: Arc<Gate>,
    _server: tokio::task::JoinSet<()>,
}

async fn place(home: Scope, answer: &'static str) -> Place {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let fake = Fake { server: listener.local_addr().unwrap(), dialed: Arc::default() };
    let mut server = tokio::task::JoinSet::new();
    server.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let head = head_of(&mut stream).await;
            let echo = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{head}", head.len());
            let answer = if answer.is_empty() { echo } else { answer.to_owned() };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let reach = Reach::default().with_host("127.0.0.1", 5173, Scope::Any).unwrap();
    let reach = reach.with_host("public.test", 8443, Scope::Public).unwrap();
    let limits = BrowserLimits::default();
    let ways: (Arc<dyn Resolver>, Arc<dyn Dialer>) = (Arc::new(fake.clone()), Arc::new(fake.clone()));
    let gate = Arc::new(Gate::new(reach, home, ways, limits.connect));
    let proxy = Proxy::start(Arc::clone(&gate), &limits).await.unwrap();
    Place { proxy, fake, gate, _server: server }
}

async fn head_of(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { break };
        head.push(byte);
    }
    String::from_utf8(head).unwrap()
}

impl Place {
    fn credentials(&self) -> String {
        let pair = STANDARD.encode(format!("{USER}:{}", self.proxy.secret));
        format!("proxy-authorization: Basic {pair}\r\n")
    }

    /// The whole answer to a request with these lines, and how many dials it cost.
    async fn asked(&self, line: &str, headers: &str) -> (String, usize) {
        let before = self.fake.dialed.lock().unwrap().len();
        let mut stream = TcpStream::connect(self.proxy.address).await.unwrap();
        let head = format!("{line} HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        (answer, self.fake.dialed.lock().unwrap().len() - before)
    }

    async fn check(&self, line: &str, headers: &str, status: &str, dials: usize) {
        let (answer, dialed) = self.asked(line, headers).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{line}: {answer}");
        assert_eq!(dialed, dials, "{line}");
    }
}

#[tokio::test]
async fn requests_without_the_secret_are_refused() {
    let place = place(Scope::Any, "").await;
    let right = place.credentials();
    let secret = &place.proxy.secret;
    let shorter = format!("{}\r\n", right.trim_end().get(..right.len() - 4).unwrap());
    let plain = format!("proxy-authorization: {secret}\r\n");
    let longer = format!("{}A\r\n", right.trim_end());
    let bearer = right.replace("Basic", "Bearer");
    let elsewhere = right.replace("proxy-authorization", "authorization");
    let empty = "proxy-authorization:\r\n".to_owned();
    for headers in [String::new(), shorter, plain, longer, bearer, elsewhere, empty] {
        place.check("GET http://public.test/", &headers, "407", 0).await;
        place.check("CONNECT public.test:443", &headers, "407", 0).await;
    }
    place.check("GET http://public.test/", &right, "200", 1).await;
}

#[tokio::test]
async fn only_public_addresses_at_the_ports_of_the_web_are_dialled() {
    let place = place(Scope::Public, "").await;
    let right = place.credentials();
    for to in [
        "127.0.0.1:80",
        "127.0.0.1:5173",
        "2130706433:80",
        "0x7f.1:443",
        "[::1]:443",
        "[::ffff:10.0.0.1]:443",
        "[64:ff9b::7f00:1]:443",
        "169.254.169.254:80",
        "localhost:80",
        "a.localhost:443",
        "inside.test:443",
        "mixed.test:443",
        "public.test:22",
        "public.test:8080",
        "public.test.:25",
    ] {
        place.check(&format!("CONNECT {to}"), &right, "403", 0).await;
        place.check(&format!("GET http://{to}/"), &right, "403", 0).await;
    }
    place.check("GET /", &right, "403", 0).await;
    place.check("GET ftp://public.test/", &right, "403", 0).await;
    place.check("GET http://user:word@public.test/", &right, "403", 0).await;
    place.check("GET http://nobody.test/", &right, "502", 0).await;
    place.check("CONNECT maker.invalid:443", &right, "502", 0).await;
    place.check("GET http://many.test/", &right, "502", 4).await;
    place.check("GET http://public.test/", &right, "200", 1).await;
    place.check("GET http://public.test:8443/", &right, "200", 1).await;
    let told = place.gate.take_refusals();
    assert!(!told.iter().any(|(_, text)| text.contains("invalid")), "{told:?}");
    assert!(told.iter().any(|(_, text)| text.contains("mixed.test leads to 10.0.0.1")), "{told:?}");
}

#[tokio::test]
async fn a_named_local_address_is_reached_only_at_its_port() {
    let named = place(Scope::Any, "").await;
    named.check("GET http://127.0.0.1:5173/", &named.credentials(), "200", 1).await;
    named.check("GET http://127.0.0.1:5174/", &named.credentials(), "403", 0).await;
    let web = place(Scope::Public, "").await;
    web.check("GET http://127.0.0.1:5173/", &web.credentials(), "403", 0).await;
}

#[tokio::test]
async fn proxy_headers_are_not_forwarded() {
    let place = place(Scope::Public, "").await;
    let headers = format!(
        "{}host: inside.test\r\nproxy-connection: keep-alive\r\nx-one: 1\r\nx-two: 2\r\nconnection: x-two\r\n",
        place.credentials()
    );
    let (answer, _) = place.asked("GET http://public.test:8443/a?b=c", &headers).await;
    let (_, seen) = answer.split_once("\r\n\r\n").unwrap();
    assert!(seen.starts_with("GET /a?b=c HTTP/1.1\r\n"), "{seen}");
    assert!(seen.contains("host: public.test:8443\r\n") && seen.contains("x-one: 1\r\n"), "{seen}");
    for hidden in ["proxy", "inside.test", "x-two", "windlass"] {
        assert!(!seen.contains(hidden), "{seen}");
    }
}

#[tokio::test]
async fn a_server_cannot_ask_for_the_secret_in_the_proxys_place() {
    let asks = "HTTP/1.1 407 No\r\nproxy-authenticate: Basic realm=\"windlass\"\r\ncontent-length: 0\r\n\r\n";
    let place = place(Scope::Public, asks).await;
    let (answer, _) = place.asked("GET http://public.test/", &place.credentials()).await;
    assert!(answer.starts_with("HTTP/1.1 502") && !answer.contains("proxy-authenticate"), "{answer}");
}

#[tokio::test]
async fn a_tunnel_carries_bytes_and_ends_with_the_proxy() {
    let place = place(Scope::Public, "hello").await;
    let mut stream = TcpStream::connect(place.proxy.address).await.unwrap();
    let head = format!("CONNECT public.test:443 HTTP/1.1\r\n{}\r\n", place.credentials());
    stream.write_all(head.as_bytes()).await.unwrap();
    assert!(head_of(&mut stream).await.starts_with("HTTP/1.1 200"));
    stream.write_all(b"anything\r\n\r\n").await.unwrap();
    let mut answer = [0; 5];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"hello");
    drop(place.proxy);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
}
