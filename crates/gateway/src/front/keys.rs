//! Keys of the gateway's own clients, stored as hashes.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::limits::ClientLimits;
use crate::ClientRequest;

/// The beginning of a key, by which a scanner for secrets recognises it.
const PREFIX: &str = "wlk-";

/// The reason why a key cannot be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The machine has no randomness.
    #[error("no random bytes are available")]
    Randomness(#[source] getrandom::Error),
    /// Two clients have one name.
    #[error("a client named {0:?} exists")]
    Exists(String),
    /// The name is empty, too long, or has characters other than letters, digits, `-`, `_` and `.`.
    #[error("{0:?} is not a client's name: use 1 to 64 letters, digits, `-`, `_` and `.`")]
    Name(String),
    /// The text is not a list of keys.
    #[error("the list of keys cannot be read")]
    Format(#[from] serde_json::Error),
}

/// A client that may use the gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ClientKey {
    /// The name of the client, which metrics and the log contain.
    pub name: String,
    /// The SHA-256 hash of the key, in hexadecimal digits.
    pub hash: String,
    /// The models that the client may use; all if the list is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// The rates and budgets of the client.
    #[serde(default, skip_serializing_if = "ClientLimits::is_unlimited")]
    pub limits: ClientLimits,
}

impl ClientKey {
    /// Returns true if the client may use a model.
    pub fn permits(&self, model: &str) -> bool {
        self.models.is_empty() || self.models.iter().any(|permitted| permitted == model)
    }
}

/// The keys of the clients. A key has 256 random bits, so its hash needs no salt and no slow function.
///
/// ```
/// use windlass_gateway::{ClientKeys, ClientRequest};
///
/// let mut keys = ClientKeys::default();
/// let key = keys.create("laptop", ["gpt-5-mini"])?;
/// let request = ClientRequest::new("/v1/responses", "{}").with_header("authorization", format!("Bearer {key}"));
/// assert_eq!(keys.find(&request).map(|client| client.name.as_str()), Some("laptop"));
/// assert!(!keys.to_json()?.contains(&key));
/// assert!(keys.revoke("laptop") && keys.find(&request).is_none());
/// # Ok::<(), windlass_gateway::KeyError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ClientKeys {
    by_hash: BTreeMap<String, ClientKey>,
}

impl ClientKeys {
    /// Reads a list of keys.
    ///
    /// # Errors
    /// The text is not a list of keys, a name is not valid, or two clients have one name.
    pub fn from_json(text: &str) -> Result<Self, KeyError> {
        let mut keys = Self::default();
        for key in serde_json::from_str::<Vec<ClientKey>>(text)? {
            keys.insert(key)?;
        }
        Ok(keys)
    }

    /// Writes the list of keys, which contains hashes only.
    ///
    /// # Errors
    /// The serialization fails.
    pub fn to_json(&self) -> Result<String, KeyError> {
        let mut keys: Vec<&ClientKey> = self.by_hash.values().collect();
        keys.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(serde_json::to_string_pretty(&keys)?)
    }

    /// Adds a client and returns its key, which exists only in this value. An empty list permits all models.
    ///
    /// # Errors
    /// The name is not valid or exists, or the machine has no randomness.
    pub fn create<N: Into<String>>(
        &mut self,
        name: &str,
        models: impl IntoIterator<Item = N>,
    ) -> Result<String, KeyError> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(KeyError::Randomness)?;
        let key = format!("{PREFIX}{}", hex(&random));
        let models = models.into_iter().map(Into::into).collect();
        self.insert(ClientKey {
            name: name.to_owned(),
            hash: hash(&key),
            models,
            limits: ClientLimits::default(),
        })?;
        Ok(key)
    }

    /// Removes a client. Returns false if it does not exist.
    pub fn revoke(&mut self, name: &str) -> bool {
        let count = self.by_hash.len();
        self.by_hash.retain(|_, key| key.name != name);
        self.by_hash.len() < count
    }

    /// Sets the rates and budgets of a client. Returns false if it does not exist.
    pub fn set_limits(&mut self, name: &str, limits: ClientLimits) -> bool {
        let client = self.by_hash.values_mut().find(|key| key.name == name);
        client.map(|key| key.limits = limits).is_some()
    }

    /// Sets the models that a client may use; all if the list is empty. Returns false if the client does not exist.
    pub fn set_models(&mut self, name: &str, models: Vec<String>) -> bool {
        let client = self.by_hash.values_mut().find(|key| key.name == name);
        client.map(|key| key.models = models).is_some()
    }

    /// Returns the clients.
    pub fn iter(&self) -> impl Iterator<Item = &ClientKey> {
        self.by_hash.values()
    }

    /// Returns the client of a request, by the key in one of the places that the APIs know: `authorization`,
    /// `x-api-key`, `x-goog-api-key`, or `key` in the query.
    ///
    /// The comparison is a lookup of the hash, so its time does not depend on the key.
    pub fn find(&self, request: &ClientRequest) -> Option<&ClientKey> {
        let key = find_candidates(request).next()?;
        self.by_hash.get(&hash(key))
    }

    fn insert(&mut self, key: ClientKey) -> Result<(), KeyError> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        if key.name.is_empty() || key.name.len() > 64 || !key.name.chars().all(is_letter) {
            return Err(KeyError::Name(key.name));
        }
        if self.by_hash.values().any(|held| held.name == key.name) {
            return Err(KeyError::Exists(key.name));
        }
        self.by_hash.insert(key.hash.clone(), key);
        Ok(())
    }
}

/// Returns the texts in the places of keys, in the order in which they count.
pub(super) fn find_candidates(request: &ClientRequest) -> impl Iterator<Item = &str> {
    let bearer = request.header("authorization").and_then(|value| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    let query = request.path.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let in_query = query.split('&').find_map(|pair| pair.strip_prefix("key="));
    [bearer, request.header("x-api-key"), request.header("x-goog-api-key"), in_query].into_iter().flatten()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn hash(key: &str) -> String {
    hex(&Sha256::digest(key.as_bytes()))
}

impl fmt::Debug for ClientKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.by_hash.values().map(|key| key.name.as_str()).collect();
        f.debug_tuple("ClientKeys").field(&names).finish()
    }
}
