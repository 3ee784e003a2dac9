//! The options of the HTTP transport, and their errors.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Options of [`HttpTransport`](crate::HttpTransport).
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

/// Error of [`HttpTransport::new`](crate::HttpTransport::new).
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
