//! Storage of tokens.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use secrecy::{ExposeSecret as _, SecretString};

/// A store of servers' tokens, one text for each key. The texts are secrets: do not display or log them.
pub trait TokenStore: Send + Sync {
    /// Returns the text of a key, or `None` for an unknown key.
    ///
    /// # Errors
    /// If the text cannot be read.
    fn load(&self, key: &str) -> io::Result<Option<SecretString>>;

    /// Stores the text of a key, atomically.
    ///
    /// # Errors
    /// If the text cannot be stored.
    fn save(&self, key: &str, tokens: &SecretString) -> io::Result<()>;

    /// Deletes the text of a key. A missing text is not an error.
    ///
    /// # Errors
    /// If the text could not be deleted.
    fn clear(&self, key: &str) -> io::Result<()>;
}

/// The engine's credential store for one server.
pub(crate) struct Credentials {
    pub(crate) store: Arc<dyn TokenStore>,
    pub(crate) key: String,
}

type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

impl Credentials {
    fn read(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let text = self.store.load(&self.key).map_err(to_auth_error)?;
        // Treat unreadable tokens as missing, so that the user signs in again.
        Ok(text.and_then(|text| serde_json::from_str(text.expose_secret()).ok()))
    }

    /// Returns the scopes of the stored tokens.
    pub(crate) fn granted_scopes(&self) -> Vec<String> {
        self.read().ok().flatten().map(|stored| stored.granted_scopes).unwrap_or_default()
    }

    fn write(&self, credentials: &StoredCredentials) -> Result<(), AuthError> {
        let text = serde_json::to_string(credentials).map_err(|error| to_auth_error(error.into()))?;
        self.store.save(&self.key, &SecretString::from(text)).map_err(to_auth_error)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn to_auth_error(error: io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

impl CredentialStore for Credentials {
    fn load<'a, 'b>(&'a self) -> StoreFuture<'b, Option<StoredCredentials>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async { self.read() })
    }

    fn save<'a, 'b>(&'a self, credentials: StoredCredentials) -> StoreFuture<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move { self.write(&credentials) })
    }

    fn clear<'a, 'b>(&'a self) -> StoreFuture<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async { self.store.clear(&self.key).map_err(to_auth_error) })
    }
}
