//! HTTP clients with ring for TLS and Mozilla's root certificates.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use rustls::{ClientConfig, RootCertStore};

/// Maximum number of redirects.
const HOPS: usize = 3;

/// Creates a client for one server. It follows only redirects that keep the body (307, 308) and the origin,
/// so that tokens and arguments are sent to the configured host only.
pub(crate) fn client(connect: Duration) -> Result<reqwest::Client, reqwest::Error> {
    build(connect, Policy::custom(lead))
}

/// Creates a client that follows no redirects.
pub(crate) fn straight_client(connect: Duration) -> Result<reqwest::Client, reqwest::Error> {
    build(connect, Policy::none())
}

/// Creates a client that connects to a host at these addresses only, so that a second DNS look-up cannot
/// return others. If `follows` is set, it follows redirects like [`client`], which stay at the host.
pub(crate) fn build_pinned_client(
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
