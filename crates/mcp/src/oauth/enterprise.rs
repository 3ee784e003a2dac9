//! The sign-in of an enterprise: its identity provider, and not a human in a browser, lets the user in (SEP-990).

use std::fmt;

use secrecy::SecretString;
use url::Url;

/// An identity provider, this program's client at it, and the user's identity token.
///
/// The provider exchanges the identity token for an assertion to the server's authority, which exchanges the assertion for
/// an access token. The client of [`SignIn::with_client`](super::SignIn::with_client) is the client at the server's
/// authority. An identity token is valid for a short time; the program that has it renews it.
///
/// ```
/// use windlass_mcp::Enterprise;
///
/// let token_endpoint = "https://idp.example/token";
/// let enterprise = Enterprise::new("https://idp.example", token_endpoint, "windlass", "eyJ...")?
///     .with_secret("the secret of the client");
/// assert!(!format!("{enterprise:?}").contains("eyJ"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Enterprise {
    pub(crate) issuer: String,
    pub(crate) token_endpoint: Url,
    pub(crate) client: String,
    pub(crate) secret: Option<SecretString>,
    pub(crate) id_token: SecretString,
}

impl Enterprise {
    /// Creates an enterprise from the issuer and the token endpoint of its identity provider, the id of this program's
    /// client at the provider, and the user's identity token.
    ///
    /// # Errors
    /// If the token endpoint is not a URL.
    pub fn new(
        issuer: impl Into<String>,
        token_endpoint: &str,
        client: impl Into<String>,
        id_token: impl Into<String>,
    ) -> Result<Self, url::ParseError> {
        Ok(Self {
            issuer: issuer.into(),
            token_endpoint: Url::parse(token_endpoint)?,
            client: client.into(),
            secret: None,
            id_token: SecretString::from(id_token.into()),
        })
    }

    /// Sets the secret of this program's client at the identity provider. Without it the client is public.
    pub fn with_secret(mut self, secret: impl Into<String>) -> Self {
        self.secret = Some(SecretString::from(secret.into()));
        self
    }
}

impl fmt::Debug for Enterprise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Enterprise")
            .field("issuer", &self.issuer)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
