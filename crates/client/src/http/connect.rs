//! Connections: direct or through a proxy, with TLS, and with a time limit.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower_service::Service;

use super::proxy::{Proxies, ProxyError};

pub(super) type BoxError = Box<dyn Error + Send + Sync>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// Keepalive of idle TCP connections.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_TRIES: u32 = 3;

/// Connects within a time limit, which covers name resolution, the proxy and TLS.
#[derive(Clone)]
pub(super) struct Connector {
    inner: HttpsConnector<Route>,
    proxies: Proxies,
    limit: Duration,
}

/// The time limit of a connection expired.
#[derive(Debug)]
pub(super) struct ConnectTimeout {
    /// The proxy of the connection, without its password.
    pub(super) proxy: Option<String>,
}

impl fmt::Display for ConnectTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connect timeout expired")
    }
}

impl Error for ConnectTimeout {}

impl Connector {
    pub(super) fn new(proxies: Proxies, tls: ClientConfig, limit: Duration) -> Self {
        let route = Route { tcp: tcp(), proxies: proxies.clone() };
        Self { inner: HttpsConnector::from((route, tls)), proxies, limit }
    }
}

/// Opens connections without TLS, within the same limit.
#[derive(Clone)]
pub(super) struct PlainConnector {
    route: Route,
    limit: Duration,
}

impl PlainConnector {
    pub(super) fn new(proxies: Proxies, limit: Duration) -> Self {
        Self { route: Route { tcp: tcp(), proxies }, limit }
    }

    /// Returns the address of the proxy that receives the requests to an `http` URL, without its password.
    pub(super) fn find_proxy_name(&self, target: &Uri) -> Option<String> {
        self.route.proxies.name(target)
    }

    pub(super) async fn connect(&self, target: Uri) -> Result<RoutedStream, BoxError> {
        let mut route = self.route.clone();
        let proxy = self.route.proxies.name(&target);
        let connecting = async {
            std::future::poll_fn(|context| route.poll_ready(context)).await?;
            route.call(target).await
        };
        let connected = tokio::time::timeout(self.limit, connecting).await;
        connected.unwrap_or_else(|_| Err(ConnectTimeout { proxy }.into()))
    }
}

fn tcp() -> HttpConnector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(KEEPALIVE));
    tcp.set_keepalive_interval(Some(KEEPALIVE));
    tcp.set_keepalive_retries(Some(KEEPALIVE_TRIES));
    tcp
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<RoutedStream>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let proxy = self.proxies.name(&target);
        let (connecting, limit) = (self.inner.call(target), self.limit);
        Box::pin(async move {
            match tokio::time::timeout(limit, connecting).await {
                Ok(connected) => connected,
                Err(_) => Err(ConnectTimeout { proxy }.into()),
            }
        })
    }
}

/// Opens TCP connections to the server, or to the proxy that the options name for it.
#[derive(Clone)]
struct Route {
    tcp: HttpConnector,
    proxies: Proxies,
}

impl Service<Uri> for Route {
    type Response = RoutedStream;
    type Error = BoxError;
    type Future = Connecting<RoutedStream>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.find(&target) else {
            let connecting = self.tcp.call(target);
            return Box::pin(async move { Ok(RoutedStream { tcp: connecting.await?, is_proxied: false }) });
        };
        if target.scheme() == Some(&Scheme::HTTPS) {
            let tunnel = Tunnel::new(proxy.uri().clone(), self.tcp.clone());
            let mut tunnel = match proxy.basic_auth() {
                Some(auth) => tunnel.with_auth(auth.clone()),
                None => tunnel,
            };
            let connecting = tunnel.call(target);
            return Box::pin(async move {
                let tcp = connecting.await.map_err(|error| ProxyError::new(&proxy, error))?;
                Ok(RoutedStream { tcp, is_proxied: false })
            });
        }
        let connecting = self.tcp.call(proxy.uri().clone());
        Box::pin(async move {
            let tcp = connecting.await.map_err(|error| ProxyError::new(&proxy, error))?;
            Ok(RoutedStream { tcp, is_proxied: true })
        })
    }
}

/// A TCP connection. A proxy without a tunnel receives the complete URL of each request.
pub(super) struct RoutedStream {
    tcp: TokioIo<TcpStream>,
    is_proxied: bool,
}

impl Connection for RoutedStream {
    fn connected(&self) -> Connected {
        self.tcp.connected().proxy(self.is_proxied)
    }
}

impl Read for RoutedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(context, buffer)
    }
}

impl Write for RoutedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write_vectored(context, bytes)
    }
}
