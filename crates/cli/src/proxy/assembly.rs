//! The endpoints that a configuration file describes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions, find_key, run_key_command};
use windlass_app::{App, WireFormat};
use windlass_client::{Client, Options, Vendor};
use windlass_gateway::{CatalogModel, Front, Gateway, GatewayChain, LossPolicy, SampledLog, Upstream};

use super::alias::{Alias, Target};
use super::file::{ProxyFile, UpstreamEntry};
use super::listing::list_models;
use super::{clients, log};

/// The way in which upstreams are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To serve: commands for keys run, and upstreams list their models.
    Serve,
    /// To check the file: neither happens.
    Check,
}

/// Builds the endpoints of a file.
pub(super) async fn build(
    file: &ProxyFile,
    options: &ProviderOptions,
    app: &App,
    purpose: Purpose,
) -> anyhow::Result<Front> {
    let mut upstreams = BTreeMap::new();
    for (name, entry) in &file.upstreams {
        // A command for a key can ask its user, and the thread must serve others meanwhile.
        let client = tokio::task::block_in_place(|| client(entry, options, app, purpose));
        upstreams.insert(name.as_str(), client.with_context(|| format!("[upstreams.{name}]"))?);
    }
    let find =
        |name: &str| upstreams.get(name).with_context(|| format!("the upstream {name:?} does not exist"));
    let default = file.default_upstream()?;
    let gateway =
        |name: &str, client: &Client, model| gateway(name, client, model).with_loss_policy(losses(file));
    let mut front = Front::new(gateway(default, find(default)?, None));
    if !file.no_store {
        let state = file.state.clone().unwrap_or_default();
        front = front.with_state(state.open(purpose).await?);
    }
    if let Some(requests) = file.limits.requests {
        front = front.with_concurrent_requests(requests);
    }
    for (name, alias) in &file.aliases {
        let owner = alias.targets().next().map_or("windlass", |target| target.upstream.as_str());
        front = front
            .with_route([name], chain(alias, &upstreams, losses(file))?)
            .with_model(CatalogModel::new(name, owner));
    }
    for (name, entry) in &file.upstreams {
        let client = find(name)?;
        if !entry.models.is_empty() {
            front = front.with_route(&entry.models, gateway(name, client, None));
            front = entry
                .models
                .iter()
                .map(|model| CatalogModel::new(model, name))
                .fold(front, Front::with_model);
        } else if name == default && purpose == Purpose::Serve {
            front = list_models(client, name).await.into_iter().fold(front, Front::with_model);
        }
    }
    front = file.origins.iter().fold(front, Front::with_origin);
    front = file.hosts.iter().fold(front, Front::with_host);
    front = with_clients(front, file)?;
    if let Some(path) = file.log.file.as_deref().filter(|_| purpose == Purpose::Serve) {
        let log = Arc::new(log::LogFile::open(path)?);
        front = match file.log.sample {
            Some(share) => front.with_log(Arc::new(SampledLog::new(log, share))),
            None => front.with_log(log),
        };
    }
    if let Some(cache) = &file.cache {
        front = front.with_cache(cache.options());
    }
    Ok(front)
}

/// Returns the gateways of an alias.
fn chain(
    alias: &Alias,
    upstreams: &BTreeMap<&str, Client>,
    losses: LossPolicy,
) -> anyhow::Result<GatewayChain> {
    let mut chain: Option<GatewayChain> = None;
    for stage in &alias.stages {
        for (place, (target, weight)) in stage.iter().enumerate() {
            let Target { upstream: name, model } = target;
            let client = upstreams
                .get(name.as_str())
                .with_context(|| format!("the upstream {name:?} does not exist"))?;
            let gateway = gateway(name, client, Some(model.clone())).with_loss_policy(losses);
            chain = Some(match chain {
                None => GatewayChain::new(gateway).with_weight(*weight),
                Some(chain) if place == 0 => chain.with_fallback(gateway).with_weight(*weight),
                Some(chain) => chain.with_peer(gateway, *weight),
            });
        }
    }
    chain.context("an alias without a model")
}

fn losses(file: &ProxyFile) -> LossPolicy {
    super::loss_policy(file.strict, file.lenient)
}

fn with_clients(front: Front, file: &ProxyFile) -> anyhow::Result<Front> {
    let Some(path) = &file.client_keys else { return Ok(front) };
    let mut keys = clients::read(path)?;
    for (name, entry) in &file.clients {
        let exists = keys.set_limits(name, entry.limits);
        anyhow::ensure!(exists, "the client {name:?} has no key in {}", path.display());
        if let Some(models) = &entry.models {
            keys.set_models(name, models.clone());
        }
    }
    Ok(front.with_client_keys(keys))
}

fn gateway(name: &str, client: &Client, model: Option<String>) -> Gateway {
    let upstream = Upstream::from_client(client.clone()).with_label(name).with_name(model);
    WireFormat::all()
        .iter()
        .copied()
        .map(WireFormat::server)
        .fold(Gateway::new(upstream), Gateway::with_server)
}

fn client(
    entry: &UpstreamEntry,
    options: &ProviderOptions,
    app: &App,
    purpose: Purpose,
) -> anyhow::Result<Client> {
    let provider = Provider::from_choice(&choice(entry));
    if let Some(name) = &entry.key_env {
        let mut vendor = provider.vendor(&options.vendors(app)?)?;
        vendor.endpoint = vendor.endpoint.with_key_env(name);
        anyhow::ensure!(find_key(&vendor).is_some(), "the environment variable {name} is not set");
        return Ok(options.client(app, vendor, Options::default())?);
    }
    if let Some(program) = entry.key_command.first() {
        let vendor: Vendor = provider.vendor(&options.vendors(app)?)?;
        let key = match purpose {
            Purpose::Serve => Some(
                run_key_command(&entry.key_command)
                    .with_context(|| format!("the command {program:?} for the key"))?,
            ),
            Purpose::Check => None,
        };
        return Ok(options.client_with_key(app, vendor, key, Options::default())?);
    }
    Ok(provider.client(app, options)?)
}

fn choice(entry: &UpstreamEntry) -> ProviderChoice {
    let mut choice = ProviderChoice::default();
    choice.provider.clone_from(&entry.provider);
    choice.base_url.clone_from(&entry.base_url);
    choice.wire = entry.wire.map(|wire| wire.0);
    choice
}

/// Reads a file and builds its endpoints.
pub(super) async fn load(
    path: &Path,
    options: &ProviderOptions,
    app: &App,
    purpose: Purpose,
) -> anyhow::Result<(ProxyFile, Front)> {
    let file = ProxyFile::read(path)?;
    let front = build(&file, options, app, purpose)
        .await
        .with_context(|| format!("{} is refused", path.display()))?;
    Ok((file, front))
}
