//! `PageUrl` and `Endpoint`: a URL as a page may have it, and the host and port that it leads to.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

/// The longest URL that is read.
const MAX_BYTES: usize = 8_192;

/// A host and a port, by what they mean and not by how they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) host: String,
    /// The address, where there is one instead of a name.
    pub(crate) address: Option<IpAddr>,
    pub(crate) port: u16,
}

/// A URL with `http` or `https` and without a name or a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageUrl {
    url: Url,
    pub(crate) endpoint: Endpoint,
}

/// Why a text is no URL that a page may have.
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
    #[error("the URL has the scheme {scheme:?}, and only http and https are opened")]
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

impl PageUrl {
    pub(crate) fn parse(text: &str) -> Result<Self, UrlRefusal> {
        if text.len() > MAX_BYTES {
            return Err(UrlRefusal::TooLong { bytes: text.len() });
        }
        let mut url = Url::parse(text).map_err(unreadable)?;
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

    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Path and query: what a server is asked for.
    pub(crate) fn target(&self) -> &str {
        &self.url[url::Position::BeforePath..url::Position::AfterQuery]
    }

    /// Whether a page that was opened here may go there by itself: the same host and port, or from the plain to the
    /// encrypted port of the same host.
    pub(crate) fn is_same_site(&self, to: &Self) -> bool {
        let (from_port, to_port) = (self.endpoint.port, to.endpoint.port);
        let is_encrypted = |url: &Self| url.url.scheme() == "https";
        let is_upgrade = (from_port, to_port) == (80, 443) && is_encrypted(to);
        let is_downgrade = is_encrypted(self) && !is_encrypted(to);
        self.endpoint.host == to.endpoint.host && (is_upgrade || (from_port == to_port && !is_downgrade))
    }
}

impl Endpoint {
    /// Reads a host with a port behind it, as a proxy is asked for it.
    pub(crate) fn parse(authority: &str) -> Result<Self, UrlRefusal> {
        // What would end the host in a URL would make it another one.
        if authority.contains(['/', '\\', '?', '#', '@']) {
            return Err(UrlRefusal::Host);
        }
        Ok(PageUrl::parse(&format!("http://{authority}/"))?.endpoint)
    }

    /// The same of a host and a port that a program names.
    pub(crate) fn named(host: &str, port: u16) -> Result<Self, UrlRefusal> {
        let is_bare_v6 = host.contains(':') && !host.starts_with('[');
        Self::parse(&if is_bare_v6 { format!("[{host}]:{port}") } else { format!("{host}:{port}") })
    }

    /// Whether the host is the machine itself by its name (RFC 6761): `localhost` and all names below it.
    pub(crate) fn is_local_name(&self) -> bool {
        self.address.is_none() && (self.host == "localhost" || self.host.ends_with(".localhost"))
    }

    /// Whether the name leads nowhere by its nature (RFC 6761): all names below `invalid`.
    pub(crate) fn is_nowhere(&self) -> bool {
        self.host.ends_with(".invalid")
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
            _ => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

fn unreadable(error: url::ParseError) -> UrlRefusal {
    UrlRefusal::Unreadable { reason: error.to_string() }
}
