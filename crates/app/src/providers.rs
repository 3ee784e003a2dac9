//! Providers: the choice of a provider and a model, and the HTTP client that reaches it.

mod access;
mod browser_login;
mod embeddings;
mod key_command;
mod keyring;
mod keys;
mod provider;

pub use self::access::ProviderOptions;
pub use self::browser_login::{BrowserLogin, LoginCode};
pub use self::key_command::run_key_command;
pub use self::keys::{
    KeySource, find_key, find_key_source, list_stored_keys, missing_key, remove_key, resolve_key, store_key,
    store_key_in_keyring,
};
pub use self::provider::{Provider, ProviderChoice};

pub(crate) use self::embeddings::add_reachable;
#[cfg(all(feature = "index", feature = "web"))]
pub(crate) use self::embeddings::build_embedder;
pub(crate) use self::keys::list_known_keys;
