//! The address of an engine.

use std::fmt;
use std::str::FromStr;

use url::Url;

/// The address of a Temporal server and a namespace: `temporal://HOST:PORT/NAMESPACE`, or
/// `temporals://HOST:PORT/NAMESPACE` for TLS. The default port is 7233, the default namespace `default`.
///
/// ```
/// use windlass_temporal::EngineAddress;
/// let address: EngineAddress = "temporal://127.0.0.1:7233/agents".parse()?;
/// assert_eq!(address.namespace(), "agents");
/// assert!("http://127.0.0.1/agents".parse::<EngineAddress>().is_err());
/// # Ok::<(), windlass_temporal::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineAddress {
    host: String,
    port: u16,
    namespace: String,
    is_encrypted: bool,
}

/// The reason why a text is not the address of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The text is not a URL.
    #[error("the engine's address is not a URL: {0}")]
    Url(String),
    /// The scheme is not that of an engine.
    #[error("the engine's address begins with `{0}`, not with `temporal` or `temporals`")]
    Scheme(String),
    /// The host is missing.
    #[error("the engine's address has no host")]
    Host,
    /// The path has more than one part.
    #[error("the engine's address has a path of several parts; expected one namespace")]
    Namespace,
}

impl EngineAddress {
    /// Returns the namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the URL of the server's gRPC interface.
    pub(crate) fn to_server_url(&self) -> Result<Url, AddressError> {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        let text = format!("{scheme}://{}:{}", self.host, self.port);
        Url::parse(&text).map_err(|error| AddressError::Url(error.to_string()))
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }
}

impl FromStr for EngineAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text).map_err(|error| AddressError::Url(error.to_string()))?;
        let is_encrypted = match url.scheme() {
            "temporal" => false,
            "temporals" => true,
            other => return Err(AddressError::Scheme(other.to_owned())),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(AddressError::Host)?.to_owned();
        let namespace = match url.path().trim_matches('/') {
            "" => "default".to_owned(),
            path if path.contains('/') => return Err(AddressError::Namespace),
            path => path.to_owned(),
        };
        Ok(Self { host, port: url.port().unwrap_or(7233), namespace, is_encrypted })
    }
}

impl fmt::Display for EngineAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "temporals" } else { "temporal" };
        write!(f, "{scheme}://{}:{}/{}", self.host, self.port, self.namespace)
    }
}
