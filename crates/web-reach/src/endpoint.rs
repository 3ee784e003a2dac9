//! `HostPort`, a normalized host and port.

use std::fmt;
use std::net::IpAddr;

use crate::{UrlRefusal, WebUrl};

/// A host and a port in normalized form, independent of their spelling.
///
/// ```
/// use windlass_web_reach::HostPort;
/// assert_eq!(HostPort::parse("0x7f.1:8080")?.to_string(), "127.0.0.1:8080");
/// assert_eq!(HostPort::from_host("::1", 80)?.to_string(), "[::1]:80");
/// assert!(HostPort::parse("docs.rs/@evil").is_err());
/// # Ok::<(), windlass_web_reach::UrlRefusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostPort {
    /// A name in its ASCII form, or an IP address without brackets.
    pub host: String,
    /// The IP address, if the host is one.
    pub address: Option<IpAddr>,
    /// The port.
    pub port: u16,
}

impl HostPort {
    /// Parses a host with an optional port, as in a `CONNECT` request to a proxy. The default port is 80.
    ///
    /// # Errors
    /// The text is not a valid authority.
    pub fn parse(authority: &str) -> Result<Self, UrlRefusal> {
        // These characters would end the host in a URL, so that the rest would be ignored.
        if authority.contains(['/', '\\', '?', '#', '@']) {
            return Err(UrlRefusal::Host);
        }
        Ok(WebUrl::parse(&format!("http://{authority}/"))?.endpoint().clone())
    }

    /// Creates an endpoint from a host and a port that the program configures. An IPv6 address may omit its
    /// brackets.
    ///
    /// # Errors
    /// The host is invalid.
    pub fn from_host(host: &str, port: u16) -> Result<Self, UrlRefusal> {
        let is_bare_v6 = host.contains(':') && !host.starts_with('[');
        Self::parse(&if is_bare_v6 { format!("[{host}]:{port}") } else { format!("{host}:{port}") })
    }

    /// Returns true if the host is the local machine by name (RFC 6761): `localhost` and all names below it.
    pub(crate) fn is_local_name(&self) -> bool {
        self.address.is_none() && (self.host == "localhost" || self.host.ends_with(".localhost"))
    }

    /// Returns true if the name is guaranteed not to resolve (RFC 6761): all names below `invalid`.
    pub fn is_nowhere(&self) -> bool {
        self.host.ends_with(".invalid")
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
            _ => write!(f, "{}:{}", self.host, self.port),
        }
    }
}
