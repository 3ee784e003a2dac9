//! Providers from the user's files and environment, and the HTTP settings to reach them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use anyhow::Context as _;
use secrecy::SecretString;
use windlass_client::{
    CapabilityStore, Client, ClientEvent, FileStorage, HttpOptions, HttpTransport, KeyUse, Options, Pace,
    Vendor, Vendors,
};
use windlass_hitl::display_safe;
use windlass_sandbox::{SettingsOwner, read_settings};

use crate::arguments::Reach;
use crate::tape::Tape;
use crate::{output, policies, runs};

/// Addresses of this machine, which are never reached through a proxy from the environment.
const LOCAL: &str = "localhost,127.0.0.1,::1";

impl Reach {
    /// Returns the built-in vendors, combined with those of the user's file.
    pub(crate) fn vendors(&self) -> anyhow::Result<Vendors> {
        let vendors = Vendors::builtin();
        let Some(path) = self.config()? else { return Ok(vendors) };
        let unreadable = || format!("{} cannot be read", path.display());
        let text = read_settings(&path, SettingsOwner::User).with_context(unreadable)?;
        let text = text.context("it is not there").with_context(unreadable)?;
        vendors.with_file(&text).with_context(|| format!("{} is refused", path.display()))
    }

    /// Returns a client for a vendor, with the user's key and the stored facts about its models.
    pub(crate) fn client(&self, vendor: Vendor, options: Options) -> anyhow::Result<Client> {
        let key = key(&vendor).map(SecretString::from);
        Ok(Client::vendor(vendor)
            .key(key)
            .options(options)
            .http(self.http()?)
            .capability_store(facts())
            .build()?)
    }

    /// Returns a client for a run that may be recorded or replayed.
    pub(crate) fn client_on(&self, tape: &Tape, vendor: Vendor, options: Options) -> anyhow::Result<Client> {
        let key = key(&vendor).map(SecretString::from);
        let http = self.http()?.with_connect_timeout(options.connect_timeout);
        let transport = tape.transport(Arc::new(HttpTransport::new(&http)?));
        let pace = if tape.is_live() { Pace::Kept } else { Pace::Ignored };
        let retry_for = Duration::from_secs(self.retry_for);
        let total_timeout = options.total_timeout.saturating_add(retry_for);
        let options = Options { pace, retry_for, total_timeout, ..options };
        // Facts that were learned since the recording would change the requests.
        let facts = if tape.is_used() { Arc::new(CapabilityStore::in_memory()) } else { facts() };
        let client =
            Client::vendor(vendor).key(key).options(options).transport(transport).capability_store(facts);
        Ok(if tape.is_live() { client.on_event(tell).build()? } else { client.build()? })
    }

    /// Returns these options without waits for an overloaded provider, because a fallback can be used
    /// instead.
    pub(crate) fn impatient(&self) -> Self {
        Self { retry_for: 0, ..self.clone() }
    }

    /// Returns the user's file of providers, if it exists. A named file must exist.
    fn config(&self) -> anyhow::Result<Option<PathBuf>> {
        let named = self.config.clone().or_else(|| variable("WINDLASS_CONFIG").map(PathBuf::from));
        if let Some(path) = named {
            let path = if path.is_dir() { path.join("providers.toml") } else { path };
            anyhow::ensure!(path.is_file(), "there is no file {}", path.display());
            return Ok(Some(path));
        }
        Ok(policies::settings().map(|folder| folder.join("providers.toml")).filter(|path| path.is_file()))
    }

    /// Returns the proxy and the certificate authorities from the options and the environment.
    pub(crate) fn http(&self) -> anyhow::Result<HttpOptions> {
        let mut http = HttpOptions::default();
        let either = |name: &str| variable(name).or_else(|| variable(name.to_lowercase()));
        let without = either("NO_PROXY");
        if let Some(url) = &self.proxy {
            http = http.with_proxy(url);
            http = without.into_iter().fold(http, HttpOptions::with_no_proxy);
        } else {
            let all = either("ALL_PROXY");
            http = either("HTTP_PROXY").or(all.clone()).into_iter().fold(http, HttpOptions::with_http_proxy);
            http = either("HTTPS_PROXY").or(all).into_iter().fold(http, HttpOptions::with_https_proxy);
            let hosts = without.map_or_else(|| LOCAL.to_owned(), |hosts| format!("{hosts},{LOCAL}"));
            http = http.with_no_proxy(hosts);
        }
        if let Some(path) = &self.ca_file {
            http =
                http.with_root(fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?);
        }
        Ok(http)
    }
}

/// Reports each wait, which would otherwise look like a hang.
fn tell(event: &ClientEvent) {
    match event {
        ClientEvent::Retry { wait, message, .. } => {
            output::note(&format!("! {}; asking again in {}", display_safe(message), span(*wait)));
        }
        ClientEvent::Wait { wait } => output::note(&format!(
            "! nothing is left of what the provider allows; asking again in {}",
            span(*wait)
        )),
        _ => {}
    }
}

/// Formats a duration: `400 ms`, `12 s`, `3 min 5 s`.
fn span(wait: Duration) -> String {
    match (wait.as_secs() / 60, wait.as_secs() % 60) {
        (0, 0) => format!("{} ms", wait.as_millis()),
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

/// Returns the user's key for a vendor.
pub(crate) fn key(vendor: &Vendor) -> Option<String> {
    vendor.endpoint.key_env.as_deref().and_then(variable)
}

/// Returns the name of a required but unset key variable.
pub(crate) fn missing_key(vendor: &Vendor) -> Option<&str> {
    let is_needed = vendor.endpoint.key_use == KeyUse::Required && key(vendor).is_none();
    vendor.endpoint.key_env.as_deref().filter(|_| is_needed)
}

/// Returns the stored facts about models. Without a state folder they are kept in memory.
fn facts() -> Arc<CapabilityStore> {
    let Ok(state) = runs::state() else { return Arc::new(CapabilityStore::in_memory()) };
    let facts = CapabilityStore::open(FileStorage::new(state.join("models.json")));
    if let Some(trouble) = facts.trouble() {
        output::note(&format!("{} ({})", trouble, state.join("models.json").display()));
    }
    Arc::new(facts)
}

/// Returns the value of an environment variable that is set, valid UTF-8 and not empty.
pub(crate) fn variable(name: impl AsRef<std::ffi::OsStr>) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
