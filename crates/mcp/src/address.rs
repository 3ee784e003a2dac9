//! The URL of a server, and the token and headers of each request to it.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use url::{Host, Url};

use crate::ServerIdError;
use crate::hex::hex;
use crate::oauth::SignIn;

/// Maximum length of a URL in bytes.
const BYTES: usize = 8 * 1024;

/// Headers that an application may not set, because the protocol sets them or because they route the request.
const TAKEN: [&str; 8] = [
    "accept",
    "authorization",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// A server's URL, with the token, headers and sign-in that are sent to this URL only.
#[derive(Clone)]
pub(crate) struct Address {
    url: Url,
    bearer_from: Option<String>,
    /// A token that does not come from an environment variable.
    given_bearer: Option<SecretString>,
    headers: Vec<(HeaderName, Value)>,
    pub(crate) sign_in: Option<Arc<SignIn>>,
}

#[derive(Clone)]
enum Value {
    Given(HeaderValue),
    Variable(String),
}

/// The token and headers of each request. Environment variables are read once per connection.
#[derive(Clone, Default)]
pub(crate) struct RequestCredentials {
    pub(crate) bearer: Option<SecretString>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// Error of a server's URL, or of a header or token that is sent with its requests.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The server's id is not valid.
    #[error(transparent)]
    Id(#[from] ServerIdError),
    /// The text is not a URL.
    #[error("this is not a valid URL: {0}")]
    Malformed(#[from] url::ParseError),
    /// The URL is longer than 8 KiB.
    #[error("a URL of {0} bytes is too long")]
    TooLong(usize),
    /// The connection would not be encrypted: the scheme is not https, and not http to this machine.
    #[error("{0} is not accepted: the address of a server must use https, or http on this machine")]
    Open(String),
    /// The URL contains a user name or a password.
    #[error("a URL with a user name is not allowed; pass a token through an environment variable")]
    User,
    /// The name or the value is not valid in an HTTP header.
    #[error("{0:?} is not the name of a header, or its value cannot be sent")]
    Header(String),
    /// The protocol sets this header, so the application may not.
    #[error("the header {0} is set by the protocol")]
    Taken(String),
    /// An environment variable is not set, or its value is not valid in a header. An empty token is an error
    /// too.
    #[error("the environment variable {0} is not set, or its value is not valid in a header")]
    Variable(String),
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > BYTES {
            return Err(AddressError::TooLong(text.len()));
        }
        let mut url = Url::parse(text)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::User);
        }
        if !is_closed(&url) {
            return Err(AddressError::Open(windlass_hitl::display_safe(
                url.origin().ascii_serialization().as_str(),
            )));
        }
        url.set_fragment(None);
        Ok(Self { url, bearer_from: None, given_bearer: None, headers: Vec::new(), sign_in: None })
    }

    pub(crate) fn set_bearer_from(&mut self, variable: String) {
        self.bearer_from = Some(variable);
    }

    pub(crate) fn set_bearer(&mut self, token: SecretString) -> Result<(), AddressError> {
        let is_valid = !token.expose_secret().is_empty() && header_value(token.expose_secret()).is_some();
        if !is_valid {
            return Err(AddressError::Header("Authorization".to_owned()));
        }
        self.given_bearer = Some(token);
        Ok(())
    }

    pub(crate) fn add_header(&mut self, name: &str, value: &str) -> Result<(), AddressError> {
        let value = header_value(value).ok_or_else(|| AddressError::Header(name.to_owned()))?;
        self.headers.push((header_name(name)?, Value::Given(value)));
        Ok(())
    }

    pub(crate) fn add_header_from(&mut self, name: &str, variable: String) -> Result<(), AddressError> {
        self.headers.push((header_name(name)?, Value::Variable(variable)));
        Ok(())
    }

    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Reads the environment variables, and returns the token and headers of each request.
    ///
    /// # Errors
    /// [`AddressError::Variable`] if a variable is not set or its value is not valid in a header.
    pub(crate) fn credentials(&self) -> Result<RequestCredentials, AddressError> {
        let missing = |name: &String| AddressError::Variable(name.clone());
        let bearer = self.bearer_from.as_ref().map(|name| {
            let value = std::env::var(name).ok().filter(|value| header_value(value).is_some());
            value.filter(|value| !value.is_empty()).map(SecretString::from).ok_or_else(|| missing(name))
        });
        let headers = self.headers.iter().map(|(name, value)| {
            let value = match value {
                Value::Given(value) => value.clone(),
                Value::Variable(variable) => {
                    let value = std::env::var(variable).ok().as_deref().and_then(header_value);
                    value.ok_or_else(|| missing(variable))?
                }
            };
            Ok((name.clone(), value))
        });
        Ok(RequestCredentials {
            headers: headers.collect::<Result<_, AddressError>>()?,
            bearer: bearer.transpose()?.or_else(|| self.given_bearer.clone()),
        })
    }

    /// Returns a SHA-256 digest of the URL, in hexadecimal. Token and headers are not part of it.
    pub(crate) fn digest(&self) -> String {
        hex(&Sha256::digest(format!("windlass mcp address 1 {}", self.url)))
    }
}

impl RequestCredentials {
    pub(crate) fn bearer(&self) -> Option<&str> {
        self.bearer.as_ref().map(SecretString::expose_secret)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("url", &self.as_str()).finish_non_exhaustive()
    }
}

/// Returns whether requests to this URL cannot be read on the network: https to any host, or http to this
/// machine.
pub(crate) fn is_closed(url: &Url) -> bool {
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => url.host().is_some(),
        "http" => is_here,
        _ => false,
    }
}

fn header_name(name: &str) -> Result<HeaderName, AddressError> {
    let parsed: HeaderName = name.parse().map_err(|_| AddressError::Header(name.to_owned()))?;
    if TAKEN.contains(&parsed.as_str()) {
        return Err(AddressError::Taken(name.to_owned()));
    }
    Ok(parsed)
}

fn header_value(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}
