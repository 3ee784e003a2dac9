//! OAuth sign-in: tokens that a human grants to this program, stored and refreshed (SECURITY "MCP").

pub(crate) mod client_key;
pub(crate) mod enterprise;
pub(crate) mod exchange;
pub(crate) mod file_tokens;
pub(crate) mod grants;
pub(crate) mod login;
pub(crate) mod scopes;
pub(crate) mod store;

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use url::Url;

pub use self::client_key::ClientKeyError;
pub use self::enterprise::Enterprise;
pub use self::store::TokenStore;

use self::client_key::ClientKey;

/// The OAuth grant of a sign-in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// Authorization code with PKCE: a human consents in the browser.
    #[default]
    Human,
    /// Client credentials: the program signs in as itself, with the secret of [`SignIn::with_client`] or the key of
    /// [`SignIn::with_client_key`], and without a human.
    Program,
    /// The identity provider of an enterprise lets the user in ([`SignIn::with_enterprise`]).
    Enterprise,
}

/// The configuration of a server's sign-in, and the store of its tokens.
///
/// Start the sign-in itself with [`McpServer::login`](crate::McpServer::login). By default the program
/// registers itself as a client at the authority, a human consents in the browser, and the browser returns to
/// a free port of this machine.
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
    pub(crate) key: Option<Arc<ClientKey>>,
    pub(crate) enterprise: Option<Enterprise>,
}

impl SignIn {
    /// Creates a configuration with this store of tokens.
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
            key: None,
            enterprise: None,
        }
    }

    /// Sets the requested scopes. Without them, the scopes come from the server.
    pub fn with_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets a client id, and optionally a secret, that are already registered at the authority.
    pub fn with_client(mut self, id: impl Into<String>, secret: Option<String>) -> Self {
        self.client = Some((id.into(), secret.map(SecretString::from)));
        self
    }

    /// Sets a client id that is registered at the authority with a public key, and the private key in PEM form (PKCS #8;
    /// P-256, P-384 or RSA), and chooses [`Grant::Program`]. The program authenticates with a signed assertion
    /// (`private_key_jwt`, RFC 7523).
    ///
    /// # Errors
    /// If the text is not such a key.
    pub fn with_client_key(mut self, id: impl Into<String>, pem: &str) -> Result<Self, ClientKeyError> {
        self.key = Some(Arc::new(ClientKey::parse(pem)?));
        self.client = Some((id.into(), None));
        self.grant = Grant::Program;
        Ok(self)
    }

    /// Sets the identity provider of an enterprise, and chooses [`Grant::Enterprise`]. [`with_client`](Self::with_client)
    /// sets the client at the server's authority.
    pub fn with_enterprise(mut self, enterprise: Enterprise) -> Self {
        self.authorities.push(enterprise.token_endpoint.clone());
        self.enterprise = Some(enterprise);
        self.grant = Grant::Enterprise;
        self
    }

    /// Sets the https URL of a client metadata document, for authorities that support client ids of this
    /// form.
    pub fn with_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.metadata_url = Some(url.into());
        self
    }

    /// Sets the grant.
    pub fn with_grant(mut self, grant: Grant) -> Self {
        self.grant = grant;
        self
    }

    /// Allows an authority whose address is not public, such as one in a company's network, by its origin.
    /// The server's own origin and public addresses are always allowed.
    ///
    /// # Errors
    /// If the text is not a URL.
    pub fn with_authority(mut self, url: &str) -> Result<Self, url::ParseError> {
        self.authorities.push(Url::parse(url)?);
        Ok(self)
    }

    /// Allows each authority that the server names, even at private addresses. Use it only for servers that
    /// the user runs: a hostile server could name services of this machine.
    pub fn with_any_authority(mut self) -> Self {
        self.any_authority = true;
        self
    }

    /// Sets the local port to which the browser returns. The default is any free port.
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
