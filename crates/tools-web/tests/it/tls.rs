//! Encrypted connections: the certificate must have the name in the URL.

use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine;
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use windlass_tools_web::{FetchError, FetchResult, SendError, WebUrl};

use crate::fake::{FakeWeb, FetchWeb as _};
use crate::server::answer;

/// A server with a certificate for these names, and the certificate.
async fn encrypted(names: &[&str]) -> (SocketAddr, String, JoinSet<()>) {
    let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let certified = rcgen::generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut running = JoinSet::new();
    running.spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut head = [0; 4_096];
            let _ = stream.read(&mut head).await;
            let _ = stream.write_all(&answer("200 OK", "content-type: text/plain\r\n", b"secret")).await;
            let _ = stream.shutdown().await;
        }
    });
    (address, pem(certified.cert.der()), running)
}

/// A certificate as it is written in files.
fn pem(certificate: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(certificate);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

#[tokio::test]
async fn the_certificate_has_to_be_trusted_and_of_that_name() {
    let (address, pem, _running) = encrypted(&["a.test"]).await;
    let web = FakeWeb::open()
        .with_server("a.test", "93.184.216.34", address)
        .with_name("b.test", &[&["93.184.216.34"]]);
    let trusting = web.fetch().with_root(pem.as_bytes()).unwrap();
    let get = |url: &str| WebUrl::parse(url).unwrap();
    match trusting.get(&get("https://a.test/")).await.unwrap() {
        FetchResult::Page(page) => assert_eq!(page.text, "secret"),
        other => panic!("{other:?}"),
    }
    for (fetch, url) in [
        (&trusting, "https://b.test/"),
        (&web.fetch(), "https://a.test/"),
        (&trusting, "https://93.184.216.34/"),
    ] {
        let error = fetch.get(&get(url)).await.unwrap_err();
        assert!(matches!(error, FetchError::Send(SendError::Encryption { .. })), "{url}: {error:?}");
        assert!(!error.is_retryable());
    }
}

#[test]
fn an_invalid_root_certificate_is_refused() {
    for pem in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let refused = FakeWeb::open().fetch().with_root(pem.as_bytes());
        assert!(refused.is_err(), "{pem:?}");
    }
}
