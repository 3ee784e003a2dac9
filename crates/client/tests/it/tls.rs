//! Encrypted connections: the trusted certificates, and the version of HTTP.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use windlass_client::{Client, Endpoint, HttpError, HttpOptions, HttpTransport};
use windlass_stream::ModelErrorKind;
use windlass_wire_openai_chat::OpenAiChat;

use crate::server::{END, HELLO, ask, quick, request, text};

/// An authority, as PEM, and a server's certificate that it signed.
struct Authority {
    pem: String,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().unwrap();
    let root = params.self_signed(&key).unwrap();
    let pem = pem(root.der());
    let issuer = Issuer::new(params, key);
    let server_key = KeyPair::generate().unwrap();
    let names = vec!["127.0.0.1".to_owned()];
    let server = CertificateParams::new(names).unwrap().signed_by(&server_key, &issuer).unwrap();
    Authority {
        pem,
        chain: vec![server.der().clone()],
        key: PrivateKeyDer::try_from(server_key.serialize_der()).unwrap(),
    }
}

/// Returns a certificate as PEM.
fn pem(der: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in der.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for at in 0..4 {
            let letter = char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]);
            text.push(if at > group.len() { '=' } else { letter });
        }
    }
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

/// A server that answers over TLS and stores the HTTP version of each request.
struct TlsServer {
    address: SocketAddr,
    versions: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl TlsServer {
    async fn start(authority: &Authority, protocols: &[&str]) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(authority.chain.clone(), authority.key.clone_key())
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let versions = Arc::new(Mutex::new(Vec::new()));
        let seen = versions.clone();
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // A client that does not trust the certificate disconnects.
                let Ok(stream) = acceptor.accept(stream).await else { continue };
                let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                let seen = seen.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    seen.lock().unwrap().push(format!("{:?} {}", request.version(), request.uri().path()));
                    let body = Full::new(Bytes::from(format!("{HELLO}{END}")));
                    async {
                        Ok::<_, Infallible>(
                            Response::builder()
                                .header("content-type", "text/event-stream")
                                .body(body)
                                .unwrap(),
                        )
                    }
                });
                let stream = TokioIo::new(stream);
                // The client closes when it is dropped.
                let _ = if is_http2 {
                    http2::Builder::new(TokioExecutor::new()).serve_connection(stream, service).await
                } else {
                    http1::Builder::new().serve_connection(stream, service).await
                };
            }
        });
        Self { address, versions, task }
    }

    fn client(&self, roots: &[&str]) -> Client {
        let http = roots.iter().fold(HttpOptions::default(), |http, pem| http.with_root(*pem));
        let endpoint = Endpoint::custom(format!("https://{}/v1", self.address), "openai-chat");
        let wire = Arc::new(OpenAiChat::default());
        Client::builder(endpoint, wire).http(http).options(quick()).build().unwrap()
    }
}

/// Returns the outcome of one request, and its HTTP version.
async fn outcome(
    protocols: &[&str],
    roots: &[&str],
    server: &Authority,
) -> (Result<String, String>, Vec<String>) {
    let server = TlsServer::start(server, protocols).await;
    let (chunks, error) = ask(&server.client(roots), &request()).await;
    let versions = server.versions.lock().unwrap().clone();
    (error.map_or_else(|| Ok(text(&chunks)), |error| Err(format!("{:?}: {error}", error.kind))), versions)
}

#[tokio::test]
async fn http2_is_used_if_the_server_offers_it() {
    let own = authority("own");
    let (said, versions) = outcome(&["h2", "http/1.1"], &[&own.pem], &own).await;
    assert_eq!((said.as_deref(), versions), (Ok("Hello"), vec!["HTTP/2.0 /v1/chat/completions".to_owned()]));
    let (said, versions) = outcome(&["http/1.1"], &[&own.pem], &own).await;
    assert_eq!((said.as_deref(), versions), (Ok("Hello"), vec!["HTTP/1.1 /v1/chat/completions".to_owned()]));
}

#[tokio::test]
async fn an_untrusted_authority_is_reported_once_with_a_remedy() {
    let (own, other) = (authority("own"), authority("other"));
    for roots in [vec![], vec![other.pem.as_str()]] {
        let (said, versions) = outcome(&["h2"], &roots, &own).await;
        let said = said.unwrap_err();
        for part in ["127.0.0.1", "certificate is not trusted", "UnknownIssuer", "authority"] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
        assert!(said.starts_with(&format!("{:?}", ModelErrorKind::Configuration)), "{said}");
        // The request is not repeated, because the certificate would still be untrusted.
        assert!(!said.contains("attempts"), "{said}");
        assert_eq!(versions, Vec::<String>::new());
    }
    // An additional authority does not remove the others.
    let (said, _) = outcome(&["h2"], &[&other.pem, &own.pem], &own).await;
    assert_eq!(said.as_deref(), Ok("Hello"));
}

/// A proxy that opens one tunnel. Returns its address, and the head of the request for the tunnel.
async fn tunnel() -> (SocketAddr, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(client.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        let target = head.split(' ').nth(1).unwrap().to_owned();
        let mut server = TcpStream::connect(target).await.unwrap();
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        // Either side may close the connection without a TLS close message.
        let _ = copy_bidirectional(&mut client, &mut server).await;
        head
    });
    (address, task)
}

#[tokio::test]
async fn an_encrypted_request_goes_through_a_tunnel_with_the_proxys_password() {
    let own = authority("own");
    let server = TlsServer::start(&own, &["h2", "http/1.1"]).await;
    let (proxy, head) = tunnel().await;
    let http = HttpOptions::default().with_root(own.pem.as_str());
    let http = http.with_proxy(format!("http://user:pass%20word@{proxy}"));
    let endpoint = Endpoint::custom(format!("https://{}/v1", server.address), "openai-chat");
    let client = Client::builder(endpoint, Arc::new(OpenAiChat::default())).http(http).options(quick());
    let client = client.build().unwrap();
    let (chunks, error) = ask(&client, &request()).await;
    assert_eq!((text(&chunks).as_str(), error.map(|error| error.to_string())), ("Hello", None));
    drop(client);
    let head = head.await.unwrap();
    assert!(head.starts_with(&format!("CONNECT {} HTTP/1.1\r\n", server.address)), "{head}");
    assert!(head.contains("Basic dXNlcjpwYXNzIHdvcmQ="), "{head}");
    assert_eq!(*server.versions.lock().unwrap(), ["HTTP/2.0 /v1/chat/completions"]);
}

/// Answers the request for a tunnel with `reply`, or with silence, and returns the error and the proxy's address.
async fn refuse_tunnel(reply: Option<&'static str>) -> (String, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        let mut open = Vec::new();
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            if let Some(reply) = reply {
                client.write_all(reply.as_bytes()).await.unwrap();
            }
            open.push(client);
        }
    });
    let http = HttpOptions::default().with_connect_timeout(Duration::from_millis(200));
    let http = http.with_proxy(format!("http://user:planted-word@{proxy}"));
    let endpoint = Endpoint::custom("https://provider.test/v1", "openai-chat");
    let client = Client::builder(endpoint, Arc::new(OpenAiChat::default())).http(http).options(quick());
    let error = ask(&client.build().unwrap(), &request()).await.1.unwrap();
    task.abort();
    (error.to_string(), proxy)
}

#[tokio::test]
async fn a_refused_tunnel_names_the_proxy_without_its_password() {
    let refusals = [
        Some("HTTP/1.1 403 Forbidden\r\n\r\n"),
        Some("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
        Some("not HTTP"),
        None,
    ];
    for reply in refusals {
        let (error, proxy) = refuse_tunnel(reply).await;
        assert!(error.contains(&format!("through the proxy http://{proxy}")), "{reply:?}: {error}");
        assert!(!error.contains("planted-word") && !error.contains("user"), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_never_answers_the_handshake_is_left_at_the_connect_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let http = HttpOptions::default().with_connect_timeout(Duration::from_millis(20));
    let endpoint = Endpoint::custom(format!("https://{address}/v1"), "openai-chat");
    let client = Client::builder(endpoint, Arc::new(OpenAiChat::default())).http(http).options(quick());
    let error = ask(&client.build().unwrap(), &request()).await.1.unwrap();
    assert!(error.to_string().contains("connect timeout"), "{error}");
}

#[track_caller]
fn check_root(pem: &str, said: &str) {
    let options = HttpOptions::default().with_root(authority("good").pem).with_root(pem);
    let error = HttpTransport::new(&options).unwrap_err();
    assert!(matches!(error, HttpError::Root { number: 2, .. }), "{error:?}");
    assert!(error.to_string().contains(said), "{error}");
}

#[test]
fn an_authority_that_cannot_be_read_is_named() {
    check_root("", "it contains no certificate");
    check_root("not PEM at all", "it contains no certificate");
    check_root("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "certificate authority 2");
}
