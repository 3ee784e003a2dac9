//! The default transport: HTTP/2 where the server offers it, with configured roots and proxies and without
//! the environment.

mod connect;
mod failure;
mod http1;
mod idle;
mod options;
mod proxy;
mod request_target;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::header::{ACCEPT, AUTHORIZATION, PROXY_AUTHORIZATION};
use http::uri::Scheme;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::proxy::matcher::Intercept;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use connect::{Connector, PlainConnector};
use failure::{body_error, client_error, exchange_error};
use http1::Http1Client;
use idle::IDLE;
pub use options::{HttpError, HttpOptions};
use proxy::Proxies;
use request_target::Target;

use crate::transport::{
    Method, Transport, TransportError, TransportErrorKind, TransportFuture, TransportRequest,
    TransportResponse,
};

/// HTTP transport with rustls and ring: HTTP/2 where a server offers it under TLS, otherwise HTTP/1.1. It
/// follows no redirects and reads no environment variables.
#[derive(Clone)]
pub struct HttpTransport {
    client: Client<Connector, Full<Bytes>>,
    plain: Http1Client,
    proxies: Proxies,
    connect_timeout: Duration,
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
        let plain = Http1Client::new(PlainConnector::new(proxies.clone(), options.connect_timeout));
        let connector = Connector::new(proxies.clone(), tls, options.connect_timeout);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(connector);
        Ok(Self { client, plain, proxies, connect_timeout: options.connect_timeout })
    }

    async fn exchange(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let request = self.request(request)?;
        let limit = self.connect_timeout;
        if request.uri().scheme() == Some(&Scheme::HTTP) {
            let response =
                self.plain.exchange(request).await.map_err(|error| exchange_error(error, limit))?;
            return Ok(incoming(response));
        }
        // The future of a connection with TLS is large, and those without one would be moved with its size.
        let response =
            Box::pin(self.client.request(request)).await.map_err(|error| client_error(error, limit))?;
        Ok(incoming(response.map(BodyExt::into_data_stream)))
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
}

fn incoming<B>(response: Response<B>) -> TransportResponse
where
    B: Stream<Item = Result<Bytes, hyper::Error>> + Send + 'static,
{
    let status = response.status().as_u16();
    let value = |value: &HeaderValue| windlass_wire::decode_text(value.as_bytes()).into_owned();
    let headers =
        response.headers().iter().map(|(name, held)| (name.as_str().to_owned(), value(held))).collect();
    let body = response.into_body().map(|bytes| bytes.map_err(body_error));
    TransportResponse { status, headers, body: Box::pin(body) }
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
