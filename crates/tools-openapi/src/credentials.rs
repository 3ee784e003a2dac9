//! Credentials of the program, by security scheme.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};

use crate::encode::percent_encode;
use crate::security::{Placement, SecurityScheme};

/// A source of credentials, which is asked before each request, so that tokens can change during a run.
///
/// A closure is a source. The credential of an `apiKey` scheme is the key, of a `basic` scheme `NAME:PASSWORD`, of a
/// `bearer`, `oauth2` or `openIdConnect` scheme the token.
///
/// ```
/// use secrecy::SecretString;
/// use windlass_tools_openapi::CredentialSource;
///
/// let source = |scheme: &str| (scheme == "api_key").then(|| SecretString::from("k-123456"));
/// assert!(source.credential("api_key").is_some() && source.credential("oauth").is_none());
/// ```
pub trait CredentialSource: Send + Sync {
    /// Returns the credential of a security scheme, by its name in the document. Must return quickly.
    fn credential(&self, scheme: &str) -> Option<SecretString>;
}

impl<F: Fn(&str) -> Option<SecretString> + Send + Sync> CredentialSource for F {
    fn credential(&self, scheme: &str) -> Option<SecretString> {
        self(scheme)
    }
}

/// The program's credentials.
#[derive(Clone, Default)]
pub(crate) struct Keyring {
    pub(crate) fixed: BTreeMap<String, SecretString>,
    pub(crate) source: Option<Arc<dyn CredentialSource>>,
}

/// The credentials of one request. It has no `Debug`, because it holds their plain texts.
#[derive(Default)]
pub(crate) struct Authorization {
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// Fields of the query, encoded.
    pub(crate) fields: Vec<String>,
    /// The values that no output may contain.
    pub(crate) secrets: Vec<SecretString>,
}

impl Keyring {
    pub(crate) fn get(&self, scheme: &str) -> Option<SecretString> {
        let found = self.fixed.get(scheme).cloned();
        let found = found.or_else(|| self.source.as_ref()?.credential(scheme));
        found.filter(|secret| !secret.expose_secret().trim().is_empty())
    }

    /// Returns the credentials for a request.
    ///
    /// # Errors
    /// If one is missing or has invalid characters. The text names the scheme and does not contain the value.
    pub(crate) fn authorize(&self, schemes: &[SecurityScheme]) -> Result<Authorization, String> {
        let mut authorization = Authorization::default();
        for scheme in schemes {
            let name = &scheme.name;
            let secret = self.get(name).ok_or_else(|| format!("the credential for `{name}` is missing"))?;
            authorization.add(scheme, &secret).ok_or_else(|| {
                format!("the credential for `{name}` has characters that are invalid in a header")
            })?;
            authorization.secrets.extend(parts(scheme.placement == Placement::Basic, &secret));
        }
        Ok(authorization)
    }
}

impl Authorization {
    fn add(&mut self, scheme: &SecurityScheme, secret: &SecretString) -> Option<()> {
        let text = secret.expose_secret().trim();
        let (name, value) = match &scheme.placement {
            Placement::Query(name) => {
                self.fields.push(format!("{}={}", percent_encode(name), percent_encode(text)));
                return Some(());
            }
            Placement::Header(name) => (name.clone(), text.to_owned()),
            Placement::Bearer => (AUTHORIZATION, format!("Bearer {text}")),
            Placement::Basic => (AUTHORIZATION, format!("Basic {}", STANDARD.encode(text))),
        };
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        self.headers.push((name, value));
        Some(())
    }
}

/// Returns the values to redact: the credential, and the password of `NAME:PASSWORD`.
pub(crate) fn parts(is_basic: bool, secret: &SecretString) -> Vec<SecretString> {
    let mut parts = vec![secret.clone()];
    if is_basic && let Some((_, password)) = secret.expose_secret().split_once(':') {
        parts.push(password.to_owned().into());
    }
    parts
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring").field("fixed", &self.fixed.keys()).finish_non_exhaustive()
    }
}
