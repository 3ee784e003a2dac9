//! `windlass proxy`: serves one provider to clients of all wire formats.

mod alias;
mod assembly;
mod check;
mod clients;
mod endpoint;
mod file;
mod kept;
mod listing;
mod log;
mod reload;
mod request_spans;
mod state;
mod storage;
#[cfg(feature = "otlp")]
mod traces;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::json;
use windlass_app::providers::{Provider, ProviderOptions};
use windlass_app::{App, WireFormat};
use windlass_client::Client;
use windlass_gateway::{
    CatalogModel, Front, FrontHandle, Gateway, Listener, LossPolicy, MemoryStateStore, ServeOptions,
    Upstream, serve_until,
};

use self::assembly::Purpose;
use self::endpoint::Endpoint;
use self::kept::{KeptFiles, KeptPaths};
use self::reload::{Hangups, ServedFile};
#[cfg(feature = "otlp")]
pub(crate) use self::traces::GatewayTracer;
use crate::arguments::{Proxy, ProxyCommand, provider_choice};
use crate::output;

/// The port without an option.
const DEFAULT_PORT: u16 = 4000;

pub(crate) async fn proxy(arguments: Proxy, app: &App) -> anyhow::Result<ExitCode> {
    if let Some(ProxyCommand::Check(arguments)) = &arguments.command {
        return check::check(arguments, app).await;
    }
    let options = &arguments.front;
    if let (Some(name), Some(file)) = (&options.add_client, &options.client_keys) {
        clients::add(file, name, &options.allow_model)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(name), Some(file)) = (&options.remove_client, &options.client_keys) {
        clients::remove(file, name)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(file) = &arguments.file {
        return serve_file(&arguments, file, app).await;
    }
    let address = check_address(&arguments, None, arguments.allow_remote)?;
    let Proxy { upstream, base_url, wire, .. } = &arguments;
    let choice = provider_choice(upstream.as_ref(), base_url.as_ref(), *wire, None);
    let client = Provider::from_choice(&choice).client(app, &provider_options(&arguments))?;
    let wire = client.wire().clone();
    let (spans, tracer) = request_spans::begin(&arguments, app)?;
    let front = tracer.add_to(build_front(&arguments, client).await?);
    let client_keys = arguments.front.client_keys.as_deref();
    let kept = KeptFiles::open(&front, KeptPaths { client_keys, ..KeptPaths::default() })?;
    let (listener, address) = endpoint::bind_address(address)?;
    let hangups = Hangups::listen();
    tell(&arguments, &format!("http://{address}"), wire.name())?;
    let end = tokio::select! {
        end = serve_until_signal(listener, front.into(), ServeOptions::default()) => end,
        () = hangups.report() => Ok(()),
        () = kept.watch() => Ok(()),
    };
    spans.end().await;
    end?;
    Ok(ExitCode::SUCCESS)
}

/// Serves the endpoints of a configuration file.
async fn serve_file(arguments: &Proxy, path: &Path, app: &App) -> anyhow::Result<ExitCode> {
    let options = provider_options(arguments);
    let (file, mut front) = assembly::load(path, &options, app, Purpose::Serve).await?;
    let address = check_address(arguments, file.listen, arguments.allow_remote || file.allow_remote)?;
    let kept = KeptFiles::open(&front, file.find_kept_paths())?;
    let (spans, tracer) = request_spans::begin(arguments, app)?;
    front = tracer.add_to(front);
    let limits = file.serve_options();
    let Endpoint { listener, url, tls } = endpoint::bind(&file, address)?;
    let upstreams = file.upstreams.keys().cloned().collect::<Vec<_>>().join(", ");
    let served = ServedFile { path, file, options, app, tls, tracer, kept };
    let front = FrontHandle::from(front);
    let hangups = Hangups::listen();
    if arguments.json {
        output::line(&json!({ "base_url": url, "file": path }))?;
    } else {
        output::print(&format!(
            "serving {upstreams} until Ctrl-C, for clients of\n{}\n",
            format_lines(&url)
        ))?;
    }
    let end = tokio::select! {
        end = serve_until_signal(listener, front.clone(), limits) => end,
        () = served.follow(&front, hangups) => Ok(()),
    };
    spans.end().await;
    end?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the options of upstreams. A client of the proxy retries by itself.
fn provider_options(arguments: &Proxy) -> ProviderOptions {
    let mut options = arguments.reach.options();
    options.retry_for = 0;
    options
}

/// Returns the address, unless other machines can reach it without permission.
fn check_address(
    arguments: &Proxy,
    configured: Option<SocketAddr>,
    allow_remote: bool,
) -> anyhow::Result<SocketAddr> {
    let default = SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT));
    let address = arguments.listen.or(configured).unwrap_or(default);
    anyhow::ensure!(
        address.ip().is_loopback() || allow_remote,
        "{address} can be reached from other machines, and every client uses your key; pass --allow-remote to \
         permit this"
    );
    Ok(address)
}

async fn serve_until_signal(
    listener: Listener,
    front: FrontHandle,
    options: ServeOptions,
) -> anyhow::Result<()> {
    let mut signal = Ok(());
    let stop = async { signal = wait_for_signal().await };
    serve_until(listener, front, options, stop).await.context("connections can no longer be accepted")?;
    signal.context("the handler of signals cannot be installed")
}

/// Waits for Ctrl-C, or for the signal with which service managers stop a program.
async fn wait_for_signal() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            end = tokio::signal::ctrl_c() => end,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

/// Builds the endpoints: the gateway of the provider, one for each alias, and the list of models.
async fn build_front(arguments: &Proxy, client: Client) -> anyhow::Result<Front> {
    let options = &arguments.front;
    let build = |name: Option<String>| {
        let upstream = Upstream::from_client(client.clone()).with_name(name);
        let servers = WireFormat::all().iter().copied().map(WireFormat::server);
        let losses = loss_policy(options.strict, options.lenient);
        servers.fold(Gateway::new(upstream).with_loss_policy(losses), Gateway::with_server)
    };
    let mut front = Front::new(build(arguments.model.clone())).with_concurrent_requests(options.max_requests);
    let owner = arguments.upstream.as_deref().unwrap_or("windlass");
    for (name, model) in &options.alias {
        front =
            front.with_route([name], build(Some(model.clone()))).with_model(CatalogModel::new(name, owner));
    }
    let models = match &arguments.model {
        Some(model) => vec![CatalogModel::new(model, owner)],
        None => listing::list_models(&client, owner).await,
    };
    front = models.into_iter().fold(front, Front::with_model);
    front = options.allow_origin.iter().fold(front, Front::with_origin);
    front = options.allow_host.iter().fold(front, Front::with_host);
    if !options.no_store {
        front = front.with_state(Arc::new(MemoryStateStore::default()));
    }
    if let Some(file) = &options.client_keys {
        front = front.with_client_keys(clients::read(file)?);
    }
    if let Some(file) = &options.request_log {
        front = front.with_log(Arc::new(log::LogFile::open(file)?));
    }
    Ok(front)
}

fn loss_policy(is_strict: bool, is_lenient: bool) -> LossPolicy {
    match (is_strict, is_lenient) {
        (true, _) => LossPolicy::Strict,
        (false, true) => LossPolicy::Lenient,
        (false, false) => LossPolicy::default(),
    }
}

fn tell(arguments: &Proxy, url: &str, wire: &str) -> anyhow::Result<()> {
    if arguments.json {
        return output::line(&json!({ "base_url": url, "wire": wire }));
    }
    let upstream = arguments.upstream.as_deref().or(arguments.base_url.as_deref()).unwrap_or_default();
    let model = arguments.model.as_deref().unwrap_or("as named by the client");
    output::print(&format!(
        "serving {upstream} ({wire}; model: {model}) until Ctrl-C, for clients of\n{}\n",
        format_lines(url)
    ))
}

/// Returns a line with the base URL of each format.
fn format_lines(url: &str) -> String {
    let line = |format: &WireFormat| format!("  {:17} {url}{}", format.as_str(), format.base_path());
    WireFormat::all().iter().map(line).collect::<Vec<_>>().join("\n")
}
