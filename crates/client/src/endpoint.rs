//! Where a provider is, and how it wants its key: data, not code.

use std::fmt;

use secrecy::SecretString;
use serde::Deserialize;

use crate::Vendors;
use crate::transport::Header;

/// How a key is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Auth {
    /// As `Authorization: Bearer KEY`.
    Bearer,
    /// In a header of this name.
    Header(String),
    /// Not at all.
    None,
}

/// Where a provider is, which wire format it speaks, and how it wants its key.
///
/// ```
/// use windlass_client::Endpoint;
/// let groq = Endpoint::find("groq").ok_or("unknown")?;
/// assert_eq!((groq.wire.as_str(), groq.key_env.as_deref()), ("openai-chat", Some("GROQ_API_KEY")));
/// let local = Endpoint::custom("http://localhost:8080/v1", "openai-chat");
/// assert_eq!(local.host(), "localhost:8080");
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Endpoint {
    /// The provider's name.
    pub name: String,
    /// The address that a wire format's paths are put behind.
    pub base_url: String,
    /// The environment variable in which its users keep another address. This crate does not read it.
    pub base_url_env: Option<String>,
    /// The wire format: `openai-chat`, `openai-responses`, `anthropic` or `gemini`.
    pub wire: String,
    /// How the key is sent.
    pub auth: Auth,
    /// The environment variable in which its users keep the key. This crate does not read it.
    pub key_env: Option<String>,
    /// Whether a key is needed.
    pub key_use: KeyUse,
    /// Headers that every request carries.
    pub headers: Vec<(String, String)>,
}

/// Whether a key is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KeyUse {
    /// Nothing is answered without one.
    #[default]
    Required,
    /// It is sent if there is one: local servers that may be started with a key.
    Optional,
}

impl Endpoint {
    /// A provider that is known by name: the endpoint of a builtin [`Vendor`](crate::Vendor).
    pub fn find(name: &str) -> Option<Self> {
        Vendors::table().get(name).map(|vendor| vendor.endpoint.clone())
    }

    /// The names that are known.
    pub fn names() -> Vec<&'static str> {
        Vendors::table().names().collect()
    }

    /// Any server that speaks a wire format. A key is sent if there is one.
    pub fn custom(base_url: impl Into<String>, wire: impl Into<String>) -> Self {
        let wire = wire.into();
        let auth = match wire.as_str() {
            "anthropic" => Auth::Header("x-api-key".to_owned()),
            "gemini" => Auth::Header("x-goog-api-key".to_owned()),
            _ => Auth::Bearer,
        };
        Self {
            name: "custom".to_owned(),
            base_url: base_url.into(),
            wire,
            auth,
            base_url_env: None,
            key_env: None,
            key_use: KeyUse::Optional,
            headers: Vec::new(),
        }
    }

    /// The same provider at another address.
    pub fn with_base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// The same provider with the variable in which its users keep the key.
    pub fn with_key_env(mut self, name: impl Into<String>) -> Self {
        self.key_env = Some(name.into());
        self
    }

    /// The same provider with one more header.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The headers that every request to here carries, the key's included.
    pub(crate) fn all_headers(&self, key: Option<&str>) -> Vec<Header> {
        let mut headers: Vec<Header> =
            self.headers.iter().map(|(name, value)| Header::new(name, value)).collect();
        match (&self.auth, key) {
            (Auth::Bearer, Some(key)) => {
                headers.push(Header::secret("authorization", format!("Bearer {key}")));
            }
            (Auth::Header(name), Some(key)) => headers.push(Header::secret(name, key)),
            (Auth::None, _) | (_, None) => {}
        }
        headers
    }

    /// The address of a path of the wire format.
    ///
    /// A base that ends in the version which the path begins with is taken as it is meant: both
    /// `https://host` and `https://host/v1` lead to `https://host/v1/messages`.
    pub(crate) fn url(&self, path: &str) -> String {
        let base = self.base_url.trim_end_matches('/');
        match (base.strip_suffix("/v1"), path.strip_prefix("/v1/")) {
            (Some(_), Some(rest)) => format!("{base}/{rest}"),
            _ => format!("{base}{path}"),
        }
    }

    /// The address without what can be a secret in it: what stands before an `@`, and the query.
    pub fn address(&self) -> String {
        shown_url(&self.base_url)
    }

    /// What of the endpoint must not be shown: values of headers that carry a key, and the password in its address.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = SecretString> {
        let headers = self.headers.iter().map(|(name, value)| Header::new(name, value));
        let headers = headers.filter(|header| header.is_secret).map(|header| header.value.into());
        let password = user(&self.base_url).map(|user| user.split_once(':').map_or(user, |(_, word)| word));
        headers.chain(password.map(SecretString::from))
    }

    /// Host and port, for messages.
    pub fn host(&self) -> &str {
        let rest = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        // What stands before an @ is a secret.
        authority.rsplit_once('@').map_or(authority, |(_, host)| host)
    }
}

/// An address as it may be shown.
pub(crate) fn shown_url(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let shown = url.get(..end).unwrap_or(url);
    match user(shown) {
        Some(user) => shown.replacen(&format!("{user}@"), "", 1),
        None => shown.to_owned(),
    }
}

/// What stands before an `@` in an address.
fn user(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map(|(user, _)| user)
}

impl fmt::Debug for Endpoint {
    // A user's own header can be a key, and what stands before an @ is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<Header> =
            self.headers.iter().map(|(name, value)| Header::new(name, value)).collect();
        f.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("host", &self.host())
            .field("wire", &self.wire)
            .field("auth", &self.auth)
            .field("key_env", &self.key_env)
            .field("headers", &headers)
            .finish_non_exhaustive()
    }
}
