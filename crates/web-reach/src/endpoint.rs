//! `Endpoint`: a host and a port, by what they mean.

use std::fmt;
use std::net::IpAddr;

use crate::{UrlRefusal, WebUrl};

/// A host and a port, by what they mean and not by how they were written.
///
/// ```
/// use windlass_web_reach::Endpoint;
/// assert_eq!(Endpoint::parse("0x7f.1:8080")?.to_string(), "127.0.0.1:8080");
/// assert_eq!(Endpoint::named("::1", 80)?.to_string(), "[::1]:80");
/// assert!(Endpoint::parse("docs.rs/@evil").is_err());
/// # Ok::<(), windlass_web_reach::UrlRefusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Endpoint {
    /// A name in its ASCII form, or an address without brackets.
    pub host: String,
    /// The address, where there is one instead of a name.
    pub address: Option<IpAddr>,
    /// The port.
    pub port: u16,
}

impl Endpoint {
    /// Reads a host with a port behind it, as a proxy is asked for it; without a port it is 80.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(authority: &str) -> Result<Self, UrlRefusal> {
        // What would end the host in a URL would make it another one.
        if authority.contains(['/', '\\', '?', '#', '@']) {
            return Err(UrlRefusal::Host);
        }
        Ok(WebUrl::parse(&format!("http://{authority}/"))?.endpoint().clone())
    }

    /// The same of a host and a port that a program names.
    ///
    /// # Errors
    /// If the host is none.
    pub fn named(host: &str, port: u16) -> Result<Self, UrlRefusal> {
        let is_bare_v6 = host.contains(':') && !host.starts_with('[');
        Self::parse(&if is_bare_v6 { format!("[{host}]:{port}") } else { format!("{host}:{port}") })
    }

    /// Whether the host is the machine itself by its name (RFC 6761): `localhost` and all names below it.
    pub(crate) fn is_local_name(&self) -> bool {
        self.address.is_none() && (self.host == "localhost" || self.host.ends_with(".localhost"))
    }

    /// Whether the name leads nowhere by its nature (RFC 6761): all names below `invalid`.
    pub fn is_nowhere(&self) -> bool {
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
