//! A client from a provider's name and the environment.
#![expect(clippy::disallowed_methods, reason = "the caller asks for the key that the environment holds")]

use std::error::Error;
use std::fmt;

use windlass_client::{Client, ClientError, Endpoint, KeyUse, Vendors};

/// Error of [`from_env`].
#[derive(Debug)]
#[non_exhaustive]
pub enum FromEnvError {
    /// No built-in vendor has this name.
    UnknownVendor {
        /// The given name.
        name: String,
    },
    /// The variable with the API key is not set, or is empty.
    MissingKey {
        /// The name of the vendor.
        vendor: String,
        /// The name of the environment variable.
        variable: String,
    },
    /// The client cannot be made, for example because the address in the environment is invalid.
    Client(ClientError),
}

impl fmt::Display for FromEnvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVendor { name } => {
                write!(f, "unknown vendor {name}; known vendors: {}", Endpoint::names().join(", "))
            }
            Self::MissingKey { vendor, variable } => {
                write!(f, "{vendor} needs an API key: set the environment variable {variable}")
            }
            Self::Client(_) => f.write_str("the client cannot be created"),
        }
    }
}

impl Error for FromEnvError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Client(error) => Some(error),
            Self::UnknownVendor { .. } | Self::MissingKey { .. } => None,
        }
    }
}

/// Creates the client of a built-in vendor, such as `anthropic`, `openai`, `gemini`, `openrouter` or `ollama`. The
/// API key, and a base URL that differs from the vendor's, come from the environment variables that the
/// vendor's documentation names: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, and so on.
///
/// ```no_run
/// use windlass::{Agent, providers};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Agent::builder().model(providers::from_env("anthropic")?, "claude-sonnet-4-6").build()?;
/// # let _ = agent;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the name is unknown, a required key is missing, or the address in the environment is invalid.
pub fn from_env(vendor: &str) -> Result<Client, FromEnvError> {
    client(vendor, |variable| std::env::var(variable).ok())
}

fn client(name: &str, read: impl Fn(&str) -> Option<String>) -> Result<Client, FromEnvError> {
    let vendors = Vendors::builtin();
    let Some(vendor) = vendors.get(name) else {
        return Err(FromEnvError::UnknownVendor { name: name.to_owned() });
    };
    let mut vendor = vendor.clone();
    let value = |variable: &Option<String>| {
        variable.as_deref().and_then(&read).filter(|value| !value.trim().is_empty())
    };
    let (key, base_url) = (value(&vendor.endpoint.key_env), value(&vendor.endpoint.base_url_env));
    if let (None, KeyUse::Required, Some(variable)) =
        (&key, vendor.endpoint.key_use, &vendor.endpoint.key_env)
    {
        return Err(FromEnvError::MissingKey { vendor: name.to_owned(), variable: variable.clone() });
    }
    if let Some(base_url) = base_url {
        vendor.endpoint = vendor.endpoint.with_base_url(base_url);
    }
    Client::vendor(vendor).key(key.map(Into::into)).build().map_err(FromEnvError::Client)
}

#[cfg(test)]
mod tests;
