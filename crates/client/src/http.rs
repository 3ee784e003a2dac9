//! The default transport: HTTP/2 where the server offers it, with configured roots and proxies and without
//! the environment.

mod connect;
mod proxy;
mod request_target;

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use http::header::{ACCEPT, AUTHORIZATION, PROXY_AUTHORIZATION};
use http::uri::Scheme;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming as Body;
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::client::proxy::matcher::Intercept;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use connect::{ConnectTimeout, Connector};
use proxy::Proxies;
use request_target::Target;

use crate::transport::{
    Method, Transport, TransportError, TransportErrorKind, TransportFuture, TransportRequest,
    TransportResponse,
};

/// Options of [`HttpTransport`].
///
/// ```
/// use windlass_client::{HttpOptions, HttpTransport};
/// let options = HttpOptions::default().with_proxy("http://proxy.example:3128").with_no_proxy("localhost,10.0.0.0/8");
/// let transport = HttpTransport::new(&options)?;
/// # let _ = transport;
/// # Ok::<(), windlass_client::HttpError>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Timeout for establishing a connection.
    pub connect_timeout: Duration,
    /// Proxy for `http` URLs.
    pub http_proxy: Option<String>,
    /// Proxy for `https` URLs.
    pub https_proxy: Option<String>,
    /// Hosts that are reached without a proxy, separated by commas as in `NO_PROXY`.
    pub no_proxy: Option<String>,
    /// PEM certificates of authorities that are trusted in addition to those of browsers.
    pub roots: Vec<Vec<u8>>,
}

/// Error of [`HttpTransport::new`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The URL of a proxy is invalid. The message omits the URL, which can contain a password.
    #[error("the address of the proxy for {scheme} is not valid")]
    Proxy {
        /// URL scheme that the proxy is for.
        scheme: &'static str,
        /// Cause of the error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The certificates of an authority are not PEM, or the PEM contains no certificate.
    #[error("certificate authority {number} cannot be read: {what}")]
    Root {
        /// Number of the authority, from 1.
        number: usize,
        /// Description of the problem.
        what: String,
    },
    /// TLS cannot be set up, or the HTTP library returned an error.
    #[error("the HTTP client cannot be created")]
    Library(#[source] Box<dyn Error + Send + Sync>),
}

/// HTTP transport with rustls and ring: HTTP/2 where a server offers it under TLS, otherwise HTTP/1.1. It
/// follows no redirects and reads no environment variables.
#[derive(Clone)]
pub struct HttpTransport {
    client: Client<Connector, Full<Bytes>>,
    proxies: Proxies,
    connect_timeout: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            http_proxy: None,
            https_proxy: None,
            no_proxy: None,
            roots: Vec::new(),
        }
    }
}

impl HttpOptions {
    /// Sets the timeout for establishing a connection.
    pub fn with_connect_timeout(mut self, wait: Duration) -> Self {
        self.connect_timeout = wait;
        self
    }

    /// Sets the proxy for all URLs: `http://user:password@host:port`.
    pub fn with_proxy(self, url: impl Into<String>) -> Self {
        let url = url.into();
        self.with_http_proxy(url.clone()).with_https_proxy(url)
    }

    /// Sets the proxy for `http` URLs.
    pub fn with_http_proxy(mut self, url: impl Into<String>) -> Self {
        self.http_proxy = Some(url.into());
        self
    }

    /// Sets the proxy for `https` URLs.
    pub fn with_https_proxy(mut self, url: impl Into<String>) -> Self {
        self.https_proxy = Some(url.into());
        self
    }

    /// Sets the hosts that are reached without a proxy, in the format of `NO_PROXY`.
    pub fn with_no_proxy(mut self, hosts: impl Into<String>) -> Self {
        self.no_proxy = Some(hosts.into());
        self
    }

    /// Adds the PEM certificates of an authority.
    pub fn with_root(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots.push(pem.into());
        self
    }
}

impl fmt::Debug for HttpOptions {
    // A proxy URL can contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("connect_timeout", &self.connect_timeout)
            .field("has_proxy", &(self.http_proxy.is_some() || self.https_proxy.is_some()))
            .field("no_proxy", &self.no_proxy)
            .field("roots", &self.roots.len())
            .finish()
    }
}

impl fmt::Debug for HttpTransport {
    // The proxies contain passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport")
            .field("connect_timeout", &self.connect_timeout)
            .finish_non_exhaustive()
    }
}

impl HttpTransport {
    /// Creates a transport with these options.
    ///
    /// # Errors
    /// If a proxy URL or a certificate is invalid, or TLS cannot be set up.
    pub fn new(options: &HttpOptions) -> Result<Self, HttpError> {
        let (proxies, tls) = (Proxies::new(options)?, tls(&options.roots)?);
        let connector = Connector::new(proxies.clone(), tls, options.connect_timeout);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(connector);
        Ok(Self { client, proxies, connect_timeout: options.connect_timeout })
    }

    async fn exchange(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let request = self.request(request)?;
        let response = self.client.request(request).await.map_err(|error| self.failure(error))?;
        Ok(incoming(response))
    }

    fn request(&self, request: TransportRequest) -> Result<Request<Full<Bytes>>, TransportError> {
        let Target { uri, authorization } = Target::parse(&request.url)?;
        let mut headers = headers(&request)?;
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        if let Some(value) = authorization {
            headers.entry(AUTHORIZATION).or_insert(value);
        }
        // A tunnel authenticates itself; other requests through a proxy carry the header.
        let is_plain = uri.scheme() == Some(&Scheme::HTTP);
        let proxy = self.proxies.find(&uri).filter(|_| is_plain);
        if let Some(value) = proxy.as_ref().and_then(Intercept::basic_auth) {
            headers.entry(PROXY_AUTHORIZATION).or_insert(value.clone());
        }
        let (method, body) = match request.method {
            Method::Get => (http::Method::GET, Bytes::new()),
            Method::Post => (http::Method::POST, request.body),
            Method::Delete => (http::Method::DELETE, Bytes::new()),
            Method::Patch => (http::Method::PATCH, request.body),
        };
        let mut request = Request::new(Full::new(body));
        (*request.method_mut(), *request.uri_mut(), *request.headers_mut()) = (method, uri, headers);
        Ok(request)
    }

    fn failure(&self, error: ClientError) -> TransportError {
        let cause = causes(&error);
        let (kind, message) = if let Some(tls) = certificate_error(&error) {
            (TransportErrorKind::Certificate, tls)
        } else if has_timed_out(&error) {
            let message = format!("no connection within {:?} (the connect timeout)", self.connect_timeout);
            (TransportErrorKind::ConnectTimeout, message)
        } else if error.is_connect() {
            (TransportErrorKind::Unreachable, cause)
        } else {
            (TransportErrorKind::Broken, cause)
        };
        TransportError::new(kind, message).with_source(error)
    }
}

/// Time after which an idle connection is closed.
const IDLE: Duration = Duration::from_secs(90);

fn incoming(response: Response<Body>) -> TransportResponse {
    let status = response.status().as_u16();
    let value = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers =
        response.headers().iter().map(|(name, held)| (name.as_str().to_owned(), value(held))).collect();
    let body = response.into_body().into_data_stream().map(|bytes| {
        bytes.map_err(|error| {
            TransportError::new(TransportErrorKind::Broken, causes(&error)).with_source(error)
        })
    });
    TransportResponse::new(status, headers, Box::pin(body))
}

fn has_timed_out(error: &(dyn Error + 'static)) -> bool {
    error.is::<ConnectTimeout>() || error.source().is_some_and(has_timed_out)
}

impl Transport for HttpTransport {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        Box::pin(self.exchange(request))
    }
}

fn headers(request: &TransportRequest) -> Result<HeaderMap, TransportError> {
    let mut headers = HeaderMap::with_capacity(request.headers.len());
    for header in &request.headers {
        let refuse = |text: String| TransportError::new(TransportErrorKind::Request, text);
        let name: HeaderName = header
            .name
            .parse()
            .map_err(|_| refuse(format!("{:?} is not the name of a header", header.name)))?;
        let mut value = HeaderValue::from_str(&header.value).map_err(|_| {
            refuse(format!("the value of the header {name} has characters that no header can carry"))
        })?;
        value.set_sensitive(header.is_secret);
        headers.append(name, value);
    }
    Ok(headers)
}

/// Returns the description of an invalid server certificate, if that is the cause of the error.
fn certificate_error(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(tls @ rustls::Error::InvalidCertificate(_)) = error.downcast_ref() {
        return Some(tls.to_string());
    }
    // `io::Error::source` skips the error that it wraps, so take that error with `get_ref`.
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => certificate_error(inner),
        None => certificate_error(error.source()?),
    }
}

/// Returns the innermost cause: the outer messages only repeat it.
fn causes(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    let mut source = error.source();
    while let Some(cause) = source {
        text = cause.to_string();
        source = cause.source();
    }
    if text.is_empty() { error.to_string() } else { text }
}

/// Builds the TLS configuration with ring, the roots of browsers and the given ones. Does not change the
/// process's default crypto provider.
fn tls(roots: &[Vec<u8>]) -> Result<ClientConfig, HttpError> {
    let mut store = RootCertStore::empty();
    store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for (index, pem) in roots.iter().enumerate() {
        let refuse = |what: String| HttpError::Root { number: index.saturating_add(1), what };
        let mut count = 0_usize;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| refuse(error.to_string()))?;
            store.add(certificate).map_err(|error| refuse(error.to_string()))?;
            count = count.saturating_add(1);
        }
        if count == 0 {
            return Err(refuse("it contains no certificate".to_owned()));
        }
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| HttpError::Library(Box::new(error)))?
        .with_root_certificates(store)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
