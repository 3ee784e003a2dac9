//! The client that speaks HTTP: encrypted by ring with the roots that browsers trust, and led nowhere else.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use rustls::{ClientConfig, RootCertStore};

/// How often a request is led on within the same origin.
const HOPS: usize = 3;

/// A client for one server. It follows what leads on within the same origin and keeps the body (307, 308), and nothing
/// else: tokens and arguments go to the configured host alone.
pub(crate) fn client(connect: Duration) -> Result<reqwest::Client, reqwest::Error> {
    build(connect, Policy::custom(lead))
}

/// A client that follows nothing.
pub(crate) fn straight_client(connect: Duration) -> Result<reqwest::Client, reqwest::Error> {
    build(connect, Policy::none())
}

/// A client that dials only these addresses for a host, so that a second look-up cannot give others. With `follows`, it
/// follows like [`client`], which stays at the host.
pub(crate) fn pinned_client(
    connect: Duration,
    (host, addresses): (&str, &[SocketAddr]),
    follows: bool,
) -> Result<reqwest::Client, reqwest::Error> {
    let redirects = if follows { Policy::custom(lead) } else { Policy::none() };
    builder(connect, redirects).resolve_to_addrs(host, addresses).build()
}

fn build(connect: Duration, redirects: Policy) -> Result<reqwest::Client, reqwest::Error> {
    builder(connect, redirects).build()
}

fn builder(connect: Duration, redirects: Policy) -> reqwest::ClientBuilder {
    let mut builder =
        reqwest::Client::builder().no_proxy().redirect(redirects).connect_timeout(connect).referer(false);
    if let Some(config) = config() {
        builder = builder.tls_backend_preconfigured(config);
    }
    builder
}

fn lead(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_body = matches!(attempt.status().as_u16(), 307 | 308);
    let is_same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if keeps_body && is_same && attempt.previous().len() <= HOPS { attempt.follow() } else { attempt.stop() }
}

fn config() -> Option<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Some(config)
}
