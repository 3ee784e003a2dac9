//! Signing in: tokens that a human allows this program to have, kept and refreshed (SECURITY "MCP").

pub(crate) mod exchange;
pub(crate) mod file_tokens;
pub(crate) mod listener;
pub(crate) mod login;
pub(crate) mod store;

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use url::Url;

pub use self::store::TokenStore;

/// On whose behalf a server is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// A human's: she allows it in her browser.
    #[default]
    Human,
    /// This program's own, which the server's authority knows by a secret ([`SignIn::with_client`]); nobody is asked.
    Program,
}

/// How a server is signed in to, and where its tokens are kept.
#[derive(Clone)]
pub struct SignIn {
    pub(crate) store: Arc<dyn TokenStore>,
    pub(crate) scopes: Vec<String>,
    pub(crate) client: Option<(String, Option<SecretString>)>,
    pub(crate) metadata_url: Option<String>,
    pub(crate) port: u16,
    pub(crate) authorities: Vec<Url>,
    pub(crate) any_authority: bool,
    pub(crate) grant: Grant,
}

impl SignIn {
    /// A sign-in whose tokens are kept here. This program introduces itself to the server's authority by itself.
    pub fn new(store: Arc<dyn TokenStore>) -> Self {
        Self {
            store,
            scopes: Vec::new(),
            client: None,
            metadata_url: None,
            port: 0,
            authorities: Vec::new(),
            any_authority: false,
            grant: Grant::Human,
        }
    }

    /// The same with what is asked for; otherwise the server says it.
    pub fn with_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The same with a client that the server's authority knows already.
    pub fn with_client(mut self, id: impl Into<String>, secret: Option<String>) -> Self {
        self.client = Some((id.into(), secret.map(SecretString::from)));
        self
    }

    /// The same with the https address of a document about this client, for authorities that read such.
    pub fn with_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.metadata_url = Some(url.into());
        self
    }

    /// The same on behalf of somebody else.
    pub fn with_grant(mut self, grant: Grant) -> Self {
        self.grant = grant;
        self
    }

    /// The same with the origin of an authority that may be reached although its address is not public, such as that of a
    /// company's own network. The server's own origin needs no naming, nor do public addresses.
    ///
    /// # Errors
    /// If it is not a URL.
    pub fn with_authority(mut self, url: &str) -> Result<Self, url::ParseError> {
        self.authorities.push(Url::parse(url)?);
        Ok(self)
    }

    /// The same where every authority that the server names may be reached, whatever its address. For servers that the
    /// user runs: a hostile server could name the services of this machine.
    pub fn with_any_authority(mut self) -> Self {
        self.any_authority = true;
        self
    }

    /// The same with the port of this machine that the browser comes back to; otherwise any that is free.
    pub fn with_port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignIn").field("scopes", &self.scopes).finish_non_exhaustive()
    }
}
