//! `WebUrl`: a URL that was read, and whose form is one that may be fetched.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Position, Url};

use crate::Endpoint;

/// The longest URL that is read.
const MAX_BYTES: usize = 8_192;

/// A URL with `http` or `https`, a host, and no name or password in it.
///
/// It holds what the text means and not how it was written: `http://0x7f.1/` is the host `127.0.0.1`, a name is
/// in its ASCII form without the dot at its end, and there is no fragment, which is never sent. Whether its host
/// may be reached is another question, which [`Reach`](crate::Reach) answers.
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
    endpoint: Endpoint,
}

/// Why a text is not a URL that may be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlRefusal {
    /// It is longer than any URL that is read.
    #[error("the URL has {bytes} bytes, and {MAX_BYTES} is the most")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// It is no URL.
    #[error("the URL cannot be read: {reason}")]
    Unreadable {
        /// What is wrong with it.
        reason: String,
    },
    /// It is neither `http` nor `https`.
    #[error("the URL has the scheme {scheme:?}, and only http and https are fetched")]
    Scheme {
        /// What it has.
        scheme: String,
    },
    /// There is a name or a password before the host.
    #[error("the URL has a user name or a password in it")]
    UserInfo,
    /// There is no host, or an empty part in its name.
    #[error("the URL has no usable host")]
    Host,
}

impl WebUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// If it is none that may be fetched, whatever its host.
    pub fn parse(text: &str) -> Result<Self, UrlRefusal> {
        let mut page = Self::parse_page(text)?;
        page.url.set_fragment(None);
        Ok(page)
    }

    /// Reads a URL as a page has it: with its fragment, which scripts look at.
    ///
    /// # Errors
    /// As for [`parse`](Self::parse).
    pub fn parse_page(text: &str) -> Result<Self, UrlRefusal> {
        within_length(text)?;
        Self::of(Url::parse(text).map_err(unreadable)?)
    }

    /// Reads what a page or a redirect at this URL points to.
    ///
    /// # Errors
    /// As for [`parse`](Self::parse).
    pub fn join(&self, text: &str) -> Result<Self, UrlRefusal> {
        within_length(text)?;
        let mut url = self.url.join(text).map_err(unreadable)?;
        url.set_fragment(None);
        Self::of(url)
    }

    fn of(mut url: Url) -> Result<Self, UrlRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlRefusal::Scheme { scheme: url.scheme().chars().take(40).collect() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefusal::UserInfo);
        }
        // `docs.rs.` is `docs.rs`: with two spellings a rule about one of them would miss the other.
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
        Ok(Self { url, endpoint: Endpoint { host, address, port } })
    }

    /// The whole URL, in ASCII.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The host and the port that it leads to.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The host: a name in its ASCII form, or an address, without brackets.
    pub fn host(&self) -> &str {
        &self.endpoint.host
    }

    /// The host's address, where the URL has one instead of a name.
    pub fn address(&self) -> Option<IpAddr> {
        self.endpoint.address
    }

    /// The port, said or meant.
    pub fn port(&self) -> u16 {
        self.endpoint.port
    }

    /// Whether the connection is encrypted: `https`.
    pub fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether what was opened here may go there by itself: the same host and port, or from the plain to the encrypted
    /// port of the same host.
    pub fn is_same_site(&self, to: &Self) -> bool {
        let is_upgrade = (self.port(), to.port()) == (80, 443) && to.is_encrypted();
        let is_downgrade = self.is_encrypted() && !to.is_encrypted();
        self.host() == to.host() && (is_upgrade || (self.port() == to.port() && !is_downgrade))
    }

    /// The host and, if the URL names one, the port: what the header `Host` says.
    pub fn authority(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    /// Path and query: what is asked of the host.
    pub fn target(&self) -> &str {
        &self.url[Position::BeforePath..Position::AfterQuery]
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn within_length(text: &str) -> Result<(), UrlRefusal> {
    if text.len() > MAX_BYTES { Err(UrlRefusal::TooLong { bytes: text.len() }) } else { Ok(()) }
}

fn unreadable(error: url::ParseError) -> UrlRefusal {
    UrlRefusal::Unreadable { reason: error.to_string() }
}
