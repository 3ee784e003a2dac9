//! Providers from the user's files and environment, and the HTTP settings that reach them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use windlass_client::{
    CapabilityStore, Client, ClientEvent, FileStorage, HttpOptions, HttpTransport, Options, Pace, Vendor,
    Vendors,
};
use windlass_hitl::display_safe;
use windlass_sandbox::{SettingsOwner, read_settings};

use super::keys::{find_key, resolve_key};
use crate::app::App;
use crate::config::variable;
use crate::error::{Context as _, Result, ensure};
use crate::notices::Notices;
use crate::runs::Recording;

/// Addresses of this machine, which are never reached through a proxy from the environment.
const LOCAL: &str = "localhost,127.0.0.1,::1";

/// Name of the user's file of providers, in the folder of settings.
const USER_PROVIDERS: &str = "providers.toml";

/// Options that apply to every provider: the user's file of providers, the proxy, the authorities, the retries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProviderOptions {
    /// File of providers in place of the user's default one.
    pub config: Option<PathBuf>,
    /// Address of a proxy for all providers, in place of the environment's.
    pub proxy: Option<String>,
    /// File with certificates (PEM) of additional authorities.
    pub ca_file: Option<PathBuf>,
    /// Time in seconds for which requests to an overloaded provider (429, 5xx) are retried.
    pub retry_for: u64,
    /// Maximum number of retries of a refused or unreachable request, and of repeated requests for an answer
    /// that broke off, is empty or is not JSON. `None` is the default of the client (4) and of a run (5).
    pub retries: Option<usize>,
}

impl Default for ProviderOptions {
    fn default() -> Self {
        Self { config: None, proxy: None, ca_file: None, retry_for: 600, retries: None }
    }
}

impl ProviderOptions {
    /// Returns the built-in vendors, combined with those of the user's file.
    ///
    /// # Errors
    ///
    /// Fails if the file is invalid, or if a file was named and does not exist.
    pub fn vendors(&self, app: &App) -> Result<Vendors> {
        let vendors = Vendors::builtin();
        let Some(path) = self.config(app)? else { return Ok(vendors) };
        let unreadable = || format!("{} cannot be read", path.display());
        let text = read_settings(&path, SettingsOwner::User).with_context(unreadable)?;
        let text = text.context("it does not exist").with_context(unreadable)?;
        vendors.with_file(&text).with_context(|| format!("{} is refused", path.display()))
    }

    /// Returns a client for a vendor, with the user's key and the stored facts about its models.
    ///
    /// # Errors
    ///
    /// Fails if the vendor's endpoint or the HTTP settings are invalid.
    pub fn client(&self, app: &App, vendor: Vendor, options: Options) -> Result<Client> {
        let key = resolve_key(app, &vendor)?;
        self.client_with_key(app, vendor, key, options)
    }

    /// Returns a client for a vendor like [`client`](Self::client), with this key in place of the user's.
    ///
    /// # Errors
    ///
    /// Fails if the vendor's endpoint or the HTTP settings are invalid.
    pub fn client_with_key(
        &self,
        app: &App,
        vendor: Vendor,
        key: Option<SecretString>,
        options: Options,
    ) -> Result<Client> {
        let client = Client::vendor(vendor).key(key).options(options).http(self.http()?);
        Ok(client.capability_store(open_capabilities(app)).build()?)
    }

    /// Returns a client for a run that may be recorded or replayed.
    pub(crate) fn run_client(
        &self,
        app: &App,
        recording: &Recording,
        vendor: Vendor,
        options: Options,
    ) -> Result<Client> {
        // A replay sends nothing, so it needs no key from a password manager.
        let key = if recording.is_live() {
            resolve_key(app, &vendor)?
        } else {
            find_key(&vendor).map(SecretString::from)
        };
        let http = self.http()?.with_connect_timeout(options.connect_timeout);
        let transport = recording.transport(Arc::new(HttpTransport::new(&http)?));
        let pace = if recording.is_live() { Pace::Kept } else { Pace::Ignored };
        let retry_for = Duration::from_secs(self.retry_for);
        let total_timeout = options.total_timeout.saturating_add(retry_for);
        let retries = self.retries.unwrap_or(options.retries);
        let options = Options { pace, retries, retry_for, total_timeout, ..options };
        // Facts that were learned since the recording would change the requests.
        let capabilities =
            if recording.is_used() { Arc::new(CapabilityStore::in_memory()) } else { open_capabilities(app) };
        let client = Client::vendor(vendor).key(key).options(options).transport(transport);
        let client = client.capability_store(capabilities);
        if !recording.is_live() {
            return Ok(client.build()?);
        }
        let (notices, reported) = (app.notices().clone(), Mutex::default());
        Ok(client.on_event(move |event| report(event, &notices, &reported)).build()?)
    }

    /// Returns these options without waits for an overloaded provider, because a fallback can be used
    /// instead.
    pub(crate) fn with_no_retries(&self) -> Self {
        Self { retry_for: 0, ..self.clone() }
    }

    /// Returns the user's file of providers, if it exists. A named file must exist.
    fn config(&self, app: &App) -> Result<Option<PathBuf>> {
        let named = self.config.clone().or_else(|| variable("WINDLASS_CONFIG").map(PathBuf::from));
        if let Some(path) = named {
            let path = if path.is_dir() { path.join(USER_PROVIDERS) } else { path };
            ensure!(path.is_file(), NotFound, "the file {} does not exist", path.display());
            return Ok(Some(path));
        }
        Ok(app.settings_file(USER_PROVIDERS).filter(|path| path.is_file()))
    }

    /// Returns the proxy and the certificate authorities from the options and the environment.
    ///
    /// # Errors
    ///
    /// Fails if the file of certificates cannot be read.
    pub fn http(&self) -> Result<HttpOptions> {
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

/// Reports each wait, which would otherwise look like a hang, and the options that a model does not take. `reported` are the
/// warnings that are not repeated.
fn report(event: &ClientEvent, notices: &Notices, reported: &Mutex<BTreeSet<String>>) {
    let (reason, wait) = match event {
        ClientEvent::Retry { wait, message, .. } => (display_safe(message), *wait),
        ClientEvent::Wait { wait } => ("the provider's rate limit is used up".to_owned(), *wait),
        ClientEvent::OptionLoss { model, fields } => {
            let names = fields.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let text = format!("{} does not take {names}; the request was sent without", display_safe(model));
            if reported.lock().unwrap_or_else(PoisonError::into_inner).insert(text.clone()) {
                notices.warn(text);
            }
            return;
        }
        _ => return,
    };
    let text = format!("! {reason}; retrying in {}", span(wait));
    notices.report_wait(reason, text, wait);
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

/// Returns the stored facts about models. Without a state folder they are kept in memory.
fn open_capabilities(app: &App) -> Arc<CapabilityStore> {
    let Ok(file) = app.state_file("models.json") else { return Arc::new(CapabilityStore::in_memory()) };
    let facts = CapabilityStore::open(FileStorage::new(file.clone()));
    if let Some(trouble) = facts.trouble() {
        app.inform(format!("{trouble} ({})", file.display()));
    }
    Arc::new(facts)
}

#[cfg(test)]
mod tests;
