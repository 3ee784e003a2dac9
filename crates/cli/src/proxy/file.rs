//! The configuration file of the gateway.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;
use windlass_gateway::{CacheOptions, ClientLimits, ServeOptions};

use super::alias::Alias;
use super::kept::{KeptPaths, UsageErrorPolicy};
use super::state::StateEntry;
use crate::wires::WireName;

/// Maximum size of the file.
const MAX_BYTES: u64 = 256 * 1024;
/// Maximum number of upstreams, of aliases and of clients.
const MAX_ENTRIES: usize = 1_000;

/// The configuration of a gateway. Paths are relative to the folder of the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each one is a key of the file")]
pub(super) struct ProxyFile {
    pub(super) listen: Option<SocketAddr>,
    pub(super) allow_remote: bool,
    /// A socket in the file system, in place of an address.
    pub(super) socket: Option<PathBuf>,
    pub(super) tls: Option<TlsEntry>,
    /// The upstream of the models that no alias and no list names.
    pub(super) default: Option<String>,
    pub(super) upstreams: BTreeMap<String, UpstreamEntry>,
    /// The models of upstreams, by the name that clients request.
    pub(super) aliases: BTreeMap<String, Alias>,
    pub(super) client_keys: Option<PathBuf>,
    pub(super) clients: BTreeMap<String, ClientEntry>,
    /// The file with the use of budgets. Default: beside the keys of clients.
    pub(super) usage_file: Option<PathBuf>,
    /// The treatment of requests whose use of a budget cannot be written.
    pub(super) on_usage_error: UsageErrorPolicy,
    /// The file with the ids of responses that upstreams store. Default: beside the keys of clients.
    pub(super) stored_ids_file: Option<PathBuf>,
    pub(super) origins: Vec<String>,
    /// Public names of the server under which clients without a key are answered.
    pub(super) hosts: Vec<String>,
    pub(super) limits: LimitEntries,
    pub(super) log: LogEntry,
    /// The cache of answers to equal requests. Without the table nothing is cached.
    pub(super) cache: Option<CacheEntry>,
    /// True if answers are compressed for clients that take it.
    pub(super) compress: bool,
    /// True if a request is refused for each part that is not known to leave an answer as it is.
    pub(super) strict: bool,
    /// True if options are left out that the upstream's format cannot express and that change the way in which an answer is
    /// drawn. Otherwise the request is refused.
    pub(super) lenient: bool,
    /// True if no response is stored for clients of the Responses API.
    pub(super) no_store: bool,
    /// The store for responses and conversations. Without the table it is in memory.
    pub(super) state: Option<StateEntry>,
}

/// An upstream: a known provider or an address, and the source of its key.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct UpstreamEntry {
    pub(super) provider: Option<String>,
    pub(super) base_url: Option<String>,
    pub(super) wire: Option<WireName>,
    /// The environment variable with the key.
    pub(super) key_env: Option<String>,
    /// The program that prints the key, with its arguments.
    pub(super) key_command: Vec<String>,
    /// The models that this upstream answers.
    pub(super) models: Vec<String>,
}

/// The rights of a client of the file of keys.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ClientEntry {
    pub(super) models: Option<Vec<String>>,
    pub(super) limits: ClientLimits,
}

/// The limits of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LimitEntries {
    pub(super) requests: Option<usize>,
    pub(super) connections: Option<usize>,
    pub(super) body_bytes: Option<usize>,
    pub(super) all_body_bytes: Option<usize>,
    pub(super) head_seconds: Option<u64>,
    pub(super) body_seconds: Option<u64>,
    pub(super) drain_seconds: Option<u64>,
}

/// The certificate of the server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TlsEntry {
    /// The PEM file with the chain of certificates, the server's own first.
    pub(super) certificate: PathBuf,
    /// The PEM file with the private key.
    pub(super) key: PathBuf,
}

/// The log of requests.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LogEntry {
    pub(super) file: Option<PathBuf>,
    /// The share of ordinary requests in the log, between 0 and 1; all without a value.
    pub(super) sample: Option<f64>,
}

/// The cache of answers to equal requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CacheEntry {
    pub(super) bytes: Option<usize>,
    pub(super) answer_bytes: Option<usize>,
    pub(super) seconds: Option<u64>,
    /// True if requests with tools are cached.
    pub(super) tools: bool,
}

impl CacheEntry {
    pub(super) fn options(self) -> CacheOptions {
        let defaults = CacheOptions::default();
        CacheOptions {
            bytes: self.bytes.unwrap_or(defaults.bytes),
            answer_bytes: self.answer_bytes.unwrap_or(defaults.answer_bytes),
            lifetime: self.seconds.map_or(defaults.lifetime, Duration::from_secs),
            with_tools: self.tools,
        }
    }
}

impl ProxyFile {
    /// Reads and checks a file.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let failure = || format!("{} is refused", path.display());
        let size = std::fs::metadata(path).with_context(failure)?.len();
        anyhow::ensure!(size <= MAX_BYTES, "{} is larger than {MAX_BYTES} bytes", path.display());
        let text = std::fs::read_to_string(path).with_context(failure)?;
        let mut file = Self::parse(&text).with_context(failure)?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        let kept = [&mut file.client_keys, &mut file.usage_file, &mut file.stored_ids_file];
        let paths = kept.into_iter().chain([&mut file.log.file, &mut file.socket]);
        let tls = file.tls.iter_mut().flat_map(|tls| [&mut tls.certificate, &mut tls.key]);
        let state = file.state.iter_mut().filter_map(|state| state.file.as_mut());
        for path in paths.flatten().chain(tls).chain(state) {
            *path = folder.join(&*path);
        }
        Ok(file)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let file: Self = toml::from_str(text)?;
        file.check()?;
        Ok(file)
    }

    /// Returns the name of the upstream for models that nothing else names.
    pub(super) fn default_upstream(&self) -> anyhow::Result<&str> {
        let mut names = self.upstreams.keys();
        match (&self.default, names.next(), names.next()) {
            (Some(name), ..) => Ok(name),
            (None, Some(only), None) => Ok(only),
            (None, None, _) => anyhow::bail!("no upstream is configured; write a table [upstreams.NAME]"),
            (None, ..) => anyhow::bail!("`default` must name one of the upstreams"),
        }
    }

    /// Returns the limits of the server. They count from the start to the end of a process.
    pub(super) fn serve_options(&self) -> ServeOptions {
        let defaults = ServeOptions::default();
        let limits = &self.limits;
        let seconds = |value: Option<u64>, default| value.map_or(default, Duration::from_secs);
        ServeOptions {
            body_bytes: limits.body_bytes.unwrap_or(defaults.body_bytes),
            all_body_bytes: limits.all_body_bytes.unwrap_or(defaults.all_body_bytes),
            connections: limits.connections.unwrap_or(defaults.connections),
            head_timeout: seconds(limits.head_seconds, defaults.head_timeout),
            body_timeout: seconds(limits.body_seconds, defaults.body_timeout),
            drain: seconds(limits.drain_seconds, defaults.drain),
            compress: self.compress,
        }
    }

    /// Returns the paths of the files that continue after a restart.
    pub(super) fn find_kept_paths(&self) -> KeptPaths<'_> {
        KeptPaths {
            client_keys: self.client_keys.as_deref(),
            usage: self.usage_file.as_deref(),
            stored_ids: self.stored_ids_file.as_deref(),
            on_usage_error: self.on_usage_error,
            has_budgets: self.clients.values().any(|client| client.limits.has_budget()),
        }
    }

    fn check(&self) -> anyhow::Result<()> {
        for (what, count) in [
            ("upstreams", self.upstreams.len()),
            ("aliases", self.aliases.len()),
            ("clients", self.clients.len()),
        ] {
            anyhow::ensure!(count <= MAX_ENTRIES, "`{what}` has more than {MAX_ENTRIES} entries");
        }
        anyhow::ensure!(
            self.socket.is_none() || (self.listen.is_none() && self.tls.is_none()),
            "`socket` excludes `listen` and `tls`"
        );
        anyhow::ensure!(!self.strict || !self.lenient, "`strict` excludes `lenient`");
        anyhow::ensure!(!self.no_store || self.state.is_none(), "`no_store` excludes `state`");
        self.state.iter().try_for_each(StateEntry::check)?;
        let mut kept = BTreeSet::new();
        for path in [&self.client_keys, &self.usage_file, &self.stored_ids_file, &self.log.file] {
            anyhow::ensure!(
                path.as_ref().is_none_or(|path| kept.insert(path)),
                "`client_keys`, `usage_file`, `stored_ids_file` and `log.file` must be different files"
            );
        }
        anyhow::ensure!(
            self.log.sample.is_none_or(|share| (0.0..=1.0).contains(&share)),
            "`log.sample` is not between 0 and 1"
        );
        let default = self.default_upstream()?;
        self.find_upstream(default).context("`default`")?;
        let mut names = BTreeSet::new();
        for (name, upstream) in &self.upstreams {
            upstream.check().with_context(|| format!("[upstreams.{name}]"))?;
            for model in &upstream.models {
                anyhow::ensure!(
                    names.insert(model),
                    "[upstreams.{name}]: the model {model:?} is listed twice"
                );
            }
        }
        for (name, alias) in &self.aliases {
            anyhow::ensure!(names.insert(name), "the alias {name:?} is a model of an upstream, too");
            for target in alias.targets() {
                self.find_upstream(&target.upstream).with_context(|| format!("the alias {name:?}"))?;
            }
        }
        anyhow::ensure!(
            self.clients.is_empty() || self.client_keys.is_some(),
            "`clients` needs `client_keys`, the file that `windlass proxy --client-keys FILE --add-client NAME` writes"
        );
        Ok(())
    }

    fn find_upstream(&self, name: &str) -> anyhow::Result<&UpstreamEntry> {
        self.upstreams.get(name).with_context(|| {
            let known: Vec<&str> = self.upstreams.keys().map(String::as_str).collect();
            format!("the upstream {name:?} does not exist; the upstreams are {}", known.join(", "))
        })
    }
}

impl UpstreamEntry {
    fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.provider.is_some() || self.base_url.is_some(),
            "it has neither `provider` nor `base_url`"
        );
        anyhow::ensure!(
            self.key_env.is_none() || self.key_command.is_empty(),
            "it has both `key_env` and `key_command`"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests;
