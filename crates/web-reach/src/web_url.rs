//! `WebUrl`, a parsed URL whose form may be fetched.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Position, Url};

use crate::HostPort;

/// Maximum bytes of a URL.
const MAX_BYTES: usize = 8_192;

/// A URL with the scheme `http` or `https`, a host, and no user name or password.
///
/// The value is normalized: the host of `http://0x7f.1/` is `127.0.0.1`, and a name is in its ASCII form
/// without a trailing dot. Only [`parse_page`](Self::parse_page) keeps the fragment, which is never sent to a
/// server. [`Reach`](crate::Reach) decides whether the host may be reached.
///
/// ```
/// use windlass_web_reach::WebUrl;
/// let url = WebUrl::parse("http://0177.1:80/a?b#c")?;
/// assert_eq!((url.as_str(), url.host(), url.port()), ("http://127.0.0.1/a?b", "127.0.0.1", 80));
/// assert!(WebUrl::parse("file:///etc/passwd").is_err());
/// # Ok::<(), windlass_web_reach::UrlRefusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebUrl {
    url: Url,
    endpoint: HostPort,
}

/// The reason why a text is not a URL that may be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlRefusal {
    /// The URL is longer than 8,192 bytes.
    #[error("the URL has {bytes} bytes, and {MAX_BYTES} is the most")]
    TooLong {
        /// The length of the URL in bytes.
        bytes: usize,
    },
    /// The text is not a valid URL.
    #[error("the URL cannot be read: {reason}")]
    Unreadable {
        /// The error of the parser.
        reason: String,
    },
    /// The scheme is neither `http` nor `https`.
    #[error("the URL has the scheme {scheme:?}, and only http and https are fetched")]
    Scheme {
        /// The scheme, at most 40 characters of it.
        scheme: String,
    },
    /// The URL contains a user name or a password.
    #[error("the URL has a user name or a password in it")]
    UserInfo,
    /// The URL has no host, or the host name has an empty label.
    #[error("the URL has no usable host")]
    Host,
}

impl WebUrl {
    /// Parses a URL and removes its fragment.
    ///
    /// # Errors
    /// The text is not a URL that may be fetched; see [`UrlRefusal`].
    pub fn parse(text: &str) -> Result<Self, UrlRefusal> {
        let mut page = Self::parse_page(text)?;
        page.url.set_fragment(None);
        Ok(page)
    }

    /// Parses a URL and keeps its fragment, which scripts of a page can read.
    ///
    /// # Errors
    /// Like [`parse`](Self::parse).
    pub fn parse_page(text: &str) -> Result<Self, UrlRefusal> {
        check_length(text)?;
        Self::new(Url::parse(text).map_err(unreadable)?)
    }

    /// Resolves a relative reference from a page or a redirect at this URL.
    ///
    /// # Errors
    /// Like [`parse`](Self::parse).
    pub fn join(&self, text: &str) -> Result<Self, UrlRefusal> {
        check_length(text)?;
        let mut url = self.url.join(text).map_err(unreadable)?;
        url.set_fragment(None);
        Self::new(url)
    }

    fn new(mut url: Url) -> Result<Self, UrlRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlRefusal::Scheme { scheme: url.scheme().chars().take(40).collect() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefusal::UserInfo);
        }
        // Normalize `docs.rs.` to `docs.rs`: otherwise a rule for one spelling would miss the other.
        if let Some(name) = url.domain().and_then(|name| name.strip_suffix('.')).map(str::to_owned) {
            url.set_host(Some(&name)).map_err(unreadable)?;
        }
        let (host, address) = match url.host() {
            Some(Host::Domain(name)) if name.split('.').all(|label| !label.is_empty()) => {
                (name.to_owned(), None)
            }
            Some(Host::Ipv4(address)) => (address.to_string(), Some(address.into())),
            Some(Host::Ipv6(address)) => (address.to_string(), Some(address.into())),
            Some(Host::Domain(_)) | None => return Err(UrlRefusal::Host),
        };
        let port = url.port_or_known_default().ok_or(UrlRefusal::Host)?;
        Ok(Self { url, endpoint: HostPort { host, address, port } })
    }

    /// Returns the whole URL, in ASCII.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the host and the port.
    pub fn endpoint(&self) -> &HostPort {
        &self.endpoint
    }

    /// Returns the host: a name in its ASCII form, or an IP address without brackets.
    pub fn host(&self) -> &str {
        &self.endpoint.host
    }

    /// Returns the IP address, if the host is one.
    pub fn address(&self) -> Option<IpAddr> {
        self.endpoint.address
    }

    /// Returns the port, or the default port of the scheme.
    pub fn port(&self) -> u16 {
        self.endpoint.port
    }

    /// Returns true if the scheme is `https`.
    pub fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Returns true if a request for this URL may be redirected to `to` without another permission: to the
    /// same host and port, or from port 80 to the encrypted port 443 of the same host. A downgrade from
    /// `https` to `http` is not allowed.
    pub fn is_same_site(&self, to: &Self) -> bool {
        let is_upgrade = (self.port(), to.port()) == (80, 443) && to.is_encrypted();
        let is_downgrade = self.is_encrypted() && !to.is_encrypted();
        self.host() == to.host() && (is_upgrade || (self.port() == to.port() && !is_downgrade))
    }

    /// Returns the host and, if the URL contains one, the port: the value of the `Host` header.
    pub fn authority(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    /// Returns the path and the query: the request target.
    pub fn target(&self) -> &str {
        &self.url[Position::BeforePath..Position::AfterQuery]
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn check_length(text: &str) -> Result<(), UrlRefusal> {
    if text.len() > MAX_BYTES { Err(UrlRefusal::TooLong { bytes: text.len() }) } else { Ok(()) }
}

fn unreadable(error: url::ParseError) -> UrlRefusal {
    UrlRefusal::Unreadable { reason: error.to_string() }
}
