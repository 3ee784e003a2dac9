//! The address of a server, and what goes with every request to it.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use url::{Host, Url};

use crate::ServerIdError;
use crate::oauth::SignIn;
use crate::server::hex;

/// The longest address.
const BYTES: usize = 8 * 1024;

/// Headers that the protocol sets, or that say where a request goes.
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

/// An address with the secrets that go there and nowhere else.
#[derive(Clone)]
pub(crate) struct Address {
    url: Url,
    bearer_from: Option<String>,
    headers: Vec<(HeaderName, Value)>,
    pub(crate) sign_in: Option<Arc<SignIn>>,
}

#[derive(Clone)]
enum Value {
    Given(HeaderValue),
    Variable(String),
}

/// What goes with every request, read from the host when a connection begins.
#[derive(Clone, Default)]
pub(crate) struct Carried {
    pub(crate) bearer: Option<SecretString>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// Why an address, or something that goes there, is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The server's id is none.
    #[error(transparent)]
    Id(#[from] ServerIdError),
    /// It is no address.
    #[error("this is no address: {0}")]
    Malformed(#[from] url::ParseError),
    /// It is too long.
    #[error("an address of {0} bytes is not taken")]
    TooLong(usize),
    /// What goes there could be read on its way.
    #[error("{0} is not taken: the address of a server is https, or http to this machine itself")]
    Open(String),
    /// It carries a name or a password.
    #[error("an address with a user in it is not taken; give a token with a variable of the environment")]
    User,
    /// It is no header.
    #[error("{0:?} is not the name of a header, or its value cannot be sent")]
    Header(String),
    /// The protocol sets it.
    #[error("the header {0} is set by the protocol")]
    Taken(String),
    /// A variable of the environment is not there.
    #[error("the variable {0} of the environment is not set, or holds what no header can carry")]
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
        Ok(Self { url, bearer_from: None, headers: Vec::new(), sign_in: None })
    }

    pub(crate) fn set_bearer_from(&mut self, variable: String) {
        self.bearer_from = Some(variable);
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

    /// Reads what goes with every request.
    pub(crate) fn carried(&self) -> Result<Carried, AddressError> {
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
        Ok(Carried { headers: headers.collect::<Result<_, AddressError>>()?, bearer: bearer.transpose()? })
    }

    /// A digest of the address.
    pub(crate) fn digest(&self) -> String {
        hex(&Sha256::digest(format!("windlass mcp address 1 {}", self.url)))
    }
}

impl Carried {
    pub(crate) fn bearer(&self) -> Option<&str> {
        self.bearer.as_ref().map(SecretString::expose_secret)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("url", &self.as_str()).finish_non_exhaustive()
    }
}

/// Whether nobody on the way can read what goes there: https, or this machine itself.
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
