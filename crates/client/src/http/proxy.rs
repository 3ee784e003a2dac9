//! The proxies of the options.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use http::Uri;
use http::uri::Scheme;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::options::{HttpError, HttpOptions};

type BoxError = Box<dyn Error + Send + Sync>;

/// Chooses the proxy of a URL.
#[derive(Clone)]
pub(super) struct Proxies(Arc<Matcher>);

impl Proxies {
    pub(super) fn new(options: &HttpOptions) -> Result<Self, HttpError> {
        let mut builder = Matcher::builder();
        if let Some(url) = &options.http_proxy {
            check(url, "http")?;
            builder = builder.http(url.clone());
        }
        if let Some(url) = &options.https_proxy {
            check(url, "https")?;
            builder = builder.https(url.clone());
        }
        if let Some(hosts) = &options.no_proxy {
            builder = builder.no(hosts.clone());
        }
        Ok(Self(Arc::new(builder.build())))
    }

    /// Returns the proxy of a URL, if the options name one.
    pub(super) fn find(&self, target: &Uri) -> Option<Intercept> {
        self.0.intercept(target)
    }

    /// Returns the address of a URL's proxy without user and password, for messages.
    pub(super) fn name(&self, target: &Uri) -> Option<String> {
        self.find(target).as_ref().map(describe)
    }
}

/// No connection was opened through a proxy: it is unreachable, refuses the tunnel or requires another password.
#[derive(Debug)]
pub(super) struct ProxyError {
    /// The address of the proxy, without user and password.
    pub(super) proxy: String,
    source: BoxError,
}

impl ProxyError {
    pub(super) fn new(proxy: &Intercept, source: impl Into<BoxError>) -> Self {
        Self { proxy: describe(proxy), source: source.into() }
    }

    /// Returns the error of status 407 (RFC 9110, section 15.5.8), which only a proxy sends.
    pub(super) fn require_password(proxy: String) -> Self {
        Self { proxy, source: "the proxy requires a user and a password (status 407)".into() }
    }
}

impl fmt::Display for ProxyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no connection through the proxy {}", self.proxy)
    }
}

impl Error for ProxyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_ref())
    }
}

/// Formats the address of a proxy from its parts, because its authority can contain a password.
fn describe(proxy: &Intercept) -> String {
    let uri = proxy.uri();
    let (scheme, host) = (uri.scheme_str().unwrap_or("http"), uri.host().unwrap_or_default());
    match uri.port_u16() {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    }
}

/// Refuses the URL of a proxy that the matcher would ignore, and other protocols than HTTP.
fn check(url: &str, scheme: &'static str) -> Result<(), HttpError> {
    let refuse = |why: &str| HttpError::Proxy { scheme, source: why.to_owned().into() };
    let matcher = Matcher::builder().http(url.to_owned()).build();
    let proxy = matcher.intercept(&Uri::from_static("http://localhost"));
    match proxy.as_ref().map(|proxy| proxy.uri().scheme()) {
        Some(Some(scheme)) if scheme == &Scheme::HTTP => Ok(()),
        Some(Some(_)) => Err(refuse("the proxy is reached over http; give a URL that begins with http://")),
        _ => Err(refuse("the text is not a URL with a host")),
    }
}
