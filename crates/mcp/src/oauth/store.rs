//! Where tokens are kept.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use secrecy::{ExposeSecret as _, SecretString};

/// Keeps the tokens of servers, one text for each. They are secrets: they are shown to nobody and go into no log.
pub trait TokenStore: Send + Sync {
    /// The text that is kept under a key.
    ///
    /// # Errors
    /// If it cannot be read. That nothing is kept is no error.
    fn load(&self, key: &str) -> io::Result<Option<SecretString>>;

    /// Keeps a text under a key, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn save(&self, key: &str, tokens: &SecretString) -> io::Result<()>;

    /// Forgets what is kept under a key.
    ///
    /// # Errors
    /// If it is still there.
    fn clear(&self, key: &str) -> io::Result<()>;
}

/// A store as the engine wants one, for one server.
pub(crate) struct Credentials {
    pub(crate) store: Arc<dyn TokenStore>,
    pub(crate) key: String,
}

type Kept<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

impl Credentials {
    fn read(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let text = self.store.load(&self.key).map_err(failed)?;
        // What cannot be read any more is as if nobody had signed in.
        Ok(text.and_then(|text| serde_json::from_str(text.expose_secret()).ok()))
    }

    fn write(&self, credentials: &StoredCredentials) -> Result<(), AuthError> {
        let text = serde_json::to_string(credentials).map_err(|error| failed(error.into()))?;
        self.store.save(&self.key, &SecretString::from(text)).map_err(failed)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn failed(error: io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

impl CredentialStore for Credentials {
    fn load<'a, 'b>(&'a self) -> Kept<'b, Option<StoredCredentials>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async { self.read() })
    }

    fn save<'a, 'b>(&'a self, credentials: StoredCredentials) -> Kept<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move { self.write(&credentials) })
    }

    fn clear<'a, 'b>(&'a self) -> Kept<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async { self.store.clear(&self.key).map_err(failed) })
    }
}
