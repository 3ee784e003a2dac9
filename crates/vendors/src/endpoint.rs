//! Addresses and authentication of providers, as data.

use std::fmt;

use secrecy::SecretString;
use serde::Deserialize;

use crate::formats::WireFormat;
use crate::header::Header;
use crate::vendors::Vendors;

/// Way to send the API key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Auth {
    /// In the header `Authorization: Bearer KEY`.
    Bearer,
    /// In the header with this name.
    Header(String),
    /// Not sent.
    None,
}

/// Address, wire format and authentication of a provider.
///
/// ```
/// use windlass_vendors::Endpoint;
/// let groq = Endpoint::find("groq").ok_or("unknown")?;
/// assert_eq!((groq.wire.as_str(), groq.key_env.as_deref()), ("openai-chat", Some("GROQ_API_KEY")));
/// let local = Endpoint::custom("http://localhost:8080/v1", "openai-chat");
/// assert_eq!(local.host(), "localhost:8080");
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Endpoint {
    /// Name of the provider.
    pub name: String,
    /// Base URL, to which the wire format appends its paths.
    pub base_url: String,
    /// Environment variable in which users keep another base URL. This crate does not read it.
    pub base_url_env: Option<String>,
    /// Name of the wire format: see [`WireFormat::all`].
    pub wire: String,
    /// Name of the wire format at another base URL, if it differs. Users reach other servers under the names of some
    /// vendors, and those speak an older format.
    pub wire_elsewhere: Option<String>,
    /// True if requests name their conversation in the field `prompt_cache_key`, so that the provider sends them to a
    /// server that has the conversation's beginning in its cache.
    pub takes_cache_key: bool,
    /// Name of the list of prices and context windows for its models; `None` if they are unknown.
    pub price_list: Option<String>,
    /// True if the server may have the wire format's API for files
    /// ([`Wire::files_api`](windlass_wire::Wire::files_api)).
    pub stores_files: bool,
    /// Way to send the key.
    pub auth: Auth,
    /// Environment variable in which users keep the key. This crate does not read it.
    pub key_env: Option<String>,
    /// Need of a key.
    pub key_use: KeyUse,
    /// Sign-in in a browser that returns a key of the user; `None` if the provider has none that every program may use.
    pub sign_in: Option<BrowserSignIn>,
    /// Additional headers of every request.
    pub headers: Vec<(String, String)>,
}

/// Sign-in in a browser that returns a key of the user: an authorization code with PKCE (RFC 7636), without a
/// registration of the program.
///
/// The parameters of the page are `callback_url`, `code_challenge` and `code_challenge_method`. The browser returns with
/// `code`. The exchange takes an object with `code`, `code_verifier` and `code_challenge_method`, and returns one with `key`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BrowserSignIn {
    /// Address of the page on which the user permits the key.
    pub page: String,
    /// Address that exchanges a code for the key.
    pub exchange: String,
}

/// Need of an API key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KeyUse {
    /// The provider answers no request without a key.
    #[default]
    Required,
    /// A key is sent if the client has one, as for local servers that can be started with a key.
    Optional,
}

impl Endpoint {
    /// Returns the endpoint of the built-in [`Vendor`](crate::Vendor) with this name.
    pub fn find(name: &str) -> Option<Self> {
        Vendors::table().get(name).map(|vendor| vendor.endpoint.clone())
    }

    /// Returns the names of the built-in vendors.
    pub fn names() -> Vec<&'static str> {
        Vendors::table().names().collect()
    }

    /// Returns an endpoint for any server with this base URL and wire format. The key is optional.
    pub fn custom(base_url: impl Into<String>, wire: impl Into<String>) -> Self {
        let wire = wire.into();
        let key_header = WireFormat::find(&wire).and_then(|format| format.wire.key_header());
        let auth = key_header.map_or(Auth::Bearer, |name| Auth::Header(name.to_owned()));
        Self {
            name: "custom".to_owned(),
            base_url: base_url.into(),
            wire,
            wire_elsewhere: None,
            takes_cache_key: false,
            price_list: None,
            stores_files: true,
            auth,
            base_url_env: None,
            key_env: None,
            key_use: KeyUse::Optional,
            sign_in: None,
            headers: Vec::new(),
        }
    }

    /// Replaces the base URL. If the new one is not at the vendor's own host or below it, the endpoint gets the wire
    /// format [`Self::wire_elsewhere`], its requests have no cache key, its prices are unknown, and it has no sign-in.
    ///
    /// ```
    /// use windlass_vendors::Endpoint;
    /// let openai = Endpoint::find("openai").ok_or("unknown")?;
    /// assert_eq!(openai.wire, "openai-responses");
    /// assert_eq!(openai.clone().with_base_url("https://eu.api.openai.com/v1").wire, "openai-responses");
    /// assert_eq!(openai.with_base_url("http://localhost:8080/v1").wire, "openai-chat");
    /// # Ok::<(), &'static str>(())
    /// ```
    pub fn with_base_url(mut self, base_url: impl Into<String>) -> Self {
        let own = self.host().to_ascii_lowercase();
        self.base_url = base_url.into();
        if !is_at_or_below(&self.host().to_ascii_lowercase(), &own) {
            self.wire = self.wire_elsewhere.take().unwrap_or(self.wire);
            self.takes_cache_key = false;
            self.price_list = None;
            self.sign_in = None;
        }
        self
    }

    /// Sets the wire format at every base URL.
    pub fn with_wire(mut self, wire: impl Into<String>) -> Self {
        self.wire = wire.into();
        self.wire_elsewhere = None;
        self
    }

    /// Sets the environment variable in which users keep the key.
    pub fn with_key_env(mut self, name: impl Into<String>) -> Self {
        self.key_env = Some(name.into());
        self
    }

    /// Adds a header to every request.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Returns the headers of every request, with the key's header if a key is given.
    pub fn all_headers(&self, key: Option<&str>) -> Vec<Header> {
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

    /// Returns the URL of a path of the wire format.
    ///
    /// A version at the end of the base URL is not repeated: both `https://host` and `https://host/v1` lead
    /// to `https://host/v1/messages`.
    pub fn url(&self, path: &str) -> String {
        let base = self.base_url.trim_end_matches('/');
        match (base.strip_suffix("/v1"), path.strip_prefix("/v1/")) {
            (Some(_), Some(rest)) => format!("{base}/{rest}"),
            _ => format!("{base}{path}"),
        }
    }

    /// Returns the base URL without user information, query and fragment, which can be secret.
    pub fn address(&self) -> String {
        redact_url(&self.base_url)
    }

    /// Returns the secrets of the endpoint: values of headers that carry a key, and the password in its URL.
    pub fn secrets(&self) -> impl Iterator<Item = SecretString> {
        let headers = self.headers.iter().map(|(name, value)| Header::new(name, value));
        let headers = headers.filter(|header| header.is_secret).map(|header| header.value.into());
        let password = user(&self.base_url).map(|user| user.split_once(':').map_or(user, |(_, word)| word));
        headers.chain(password.map(SecretString::from))
    }

    /// Returns host and port, for messages.
    pub fn host(&self) -> &str {
        let rest = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        // The user information before `@` is secret.
        authority.rsplit_once('@').map_or(authority, |(_, host)| host)
    }
}

/// Returns whether a host is `own` or a host below it. A label of `own` that the user fills in matches any label.
fn is_at_or_below(host: &str, own: &str) -> bool {
    let known = own.rsplit_once("}.").map_or(own, |(_, known)| known);
    host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns a URL without user information, query and fragment, which can be secret.
///
/// ```
/// let url = windlass_vendors::redact_url("https://me:password@example.com/v1?key=secret");
/// assert_eq!(url, "https://example.com/v1");
/// ```
pub fn redact_url(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let shown = url.get(..end).unwrap_or(url);
    match user(shown) {
        Some(user) => shown.replacen(&format!("{user}@"), "", 1),
        None => shown.to_owned(),
    }
}

/// Returns the user information of a URL.
fn user(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map(|(user, _)| user)
}

impl fmt::Debug for Endpoint {
    // A header value of the user can be a key, and the base URL can contain a password.
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
