//! Sockets of a server, and certificates.

use std::sync::Arc;

use base64::Engine as _;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use windlass_gateway::{Front, Listener, ServeOptions, ServerTls, TlsError, serve};

use crate::canned::{CHAT_WORD, Canned};

pub(crate) const BODY: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;

pub(crate) fn provider() -> Canned {
    Canned::new(200, "application/json", CHAT_WORD).with_piece(1_000)
}

pub(crate) fn options() -> ServeOptions {
    ServeOptions { body_bytes: 100_000, ..ServeOptions::default() }
}

/// Sends a request over an open connection, and returns the whole answer.
pub(crate) async fn exchange(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    headers: &str,
    body: &[u8],
) -> String {
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    let mut answer = Vec::new();
    // A server may close a connection without a TLS close message.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

struct Certificate {
    chain: String,
    key: String,
    connector: TlsConnector,
}

fn certificate() -> Certificate {
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certified.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = builder.unwrap().with_root_certificates(roots).with_no_client_auth();
    let chain = pem("CERTIFICATE", certified.cert.der());
    let key = pem("PRIVATE KEY", &certified.signing_key.serialize_der());
    Certificate { chain, key, connector: TlsConnector::from(Arc::new(config)) }
}

fn pem(kind: &str, der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN {kind}-----\n{text}\n-----END {kind}-----\n")
}

async fn exchange_encrypted(port: u16, connector: &TlsConnector) -> std::io::Result<String> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let mut stream = connector.connect(ServerName::try_from("localhost").unwrap(), stream).await?;
    Ok(exchange(&mut stream, "", BODY.as_bytes()).await)
}

#[tokio::test]
async fn a_certificate_encrypts_and_can_be_replaced_while_serving() {
    let (first, second) = (certificate(), certificate());
    let tls = ServerTls::from_pem(first.chain.as_bytes(), first.key.as_bytes()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let listener = Listener::from(listener).with_tls(tls.clone());
    tokio::spawn(serve(listener, provider().gateway("openai-chat"), options()));

    assert!(exchange_encrypted(port, &first.connector).await.unwrap().starts_with("HTTP/1.1 200"));
    // A client that speaks no TLS gets nothing, and the next one is served.
    let mut plain = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    assert!(!exchange(&mut plain, "", BODY.as_bytes()).await.contains("200 OK"));
    assert!(exchange_encrypted(port, &second.connector).await.is_err(), "another certificate");

    let mixed = tls.replace(second.chain.as_bytes(), first.key.as_bytes()).unwrap_err();
    assert!(matches!(mixed, TlsError::Pair(_)), "{mixed:?}");
    assert!(matches!(tls.replace(b"", b""), Err(TlsError::Key(_))));
    assert!(exchange_encrypted(port, &first.connector).await.is_ok(), "the old certificate stays");
    tls.replace(second.chain.as_bytes(), second.key.as_bytes()).unwrap();
    assert!(exchange_encrypted(port, &second.connector).await.unwrap().contains("\"hi\""));
    assert!(exchange_encrypted(port, &first.connector).await.is_err());
    assert!(!format!("{tls:?}").contains("key"), "{tls:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_in_the_file_system_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gateway.sock");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    tokio::spawn(serve(listener, Front::new(provider().gateway("openai-chat")), options()));
    let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
    let answer = exchange(&mut stream, "", BODY.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"hi\""), "{answer}");
}
