//! `windlass proxy`: serves one provider to clients of all wire formats.

mod clients;
mod log;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tokio::net::TcpListener;
use windlass_app::providers::Provider;
use windlass_app::{App, WireFormat};
use windlass_client::{Client, ModelEntry};
use windlass_gateway::{
    CatalogModel, Front, Gateway, LossPolicy, MemoryStateStore, ServeOptions, Upstream, serve_until,
};

use crate::arguments::{Proxy, provider_choice};
use crate::output;

/// Time for the provider's list of models at the start.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) async fn proxy(arguments: Proxy, app: &App) -> anyhow::Result<ExitCode> {
    let options = &arguments.front;
    if let (Some(name), Some(file)) = (&options.add_client, &options.client_keys) {
        clients::add(file, name, &options.allow_model)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(name), Some(file)) = (&options.remove_client, &options.client_keys) {
        clients::remove(file, name)?;
        return Ok(ExitCode::SUCCESS);
    }
    anyhow::ensure!(
        arguments.listen.ip().is_loopback() || arguments.allow_remote,
        "{} can be reached from other machines, and every client uses your key; pass --allow-remote to \
         permit this",
        arguments.listen
    );
    let Proxy { upstream, base_url, wire, .. } = &arguments;
    let choice = provider_choice(upstream.as_ref(), base_url.as_ref(), *wire, None);
    // A client of the proxy retries by itself.
    let mut options = arguments.reach.options();
    options.retry_for = 0;
    let client = Provider::from_choice(&choice).client(app, &options)?;
    let wire = client.wire().clone();
    let front = build_front(&arguments, client).await?;
    let listener = TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("{} cannot be bound", arguments.listen))?;
    tell(&arguments, &format!("http://{}", listener.local_addr()?), wire.name())?;
    let mut signal = Ok(());
    let stop = async { signal = wait_for_signal().await };
    serve_until(listener, front, ServeOptions::default(), stop)
        .await
        .context("connections can no longer be accepted")?;
    signal.context("the handler of signals cannot be installed")?;
    Ok(ExitCode::SUCCESS)
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
        let losses = if options.strict { LossPolicy::Strict } else { LossPolicy::Lenient };
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
        None => list_models(&client, owner).await,
    };
    front = models.into_iter().fold(front, Front::with_model);
    front = options.allow_origin.iter().fold(front, Front::with_origin);
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

/// Returns the models of the provider. Without an answer in time the list is empty, because the gateway works without it.
async fn list_models(client: &Client, owner: &str) -> Vec<CatalogModel> {
    let problem = match tokio::time::timeout(LIST_TIMEOUT, client.list_models()).await {
        Ok(Ok(models)) => {
            let entry = |model: ModelEntry| {
                CatalogModel::new(model.id, owner).with_limits(model.context_tokens, model.output_tokens)
            };
            return models.into_iter().map(entry).collect();
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", LIST_TIMEOUT.as_secs()),
    };
    output::note(&format!("the lists of models are empty: {problem}"));
    Vec::new()
}

fn tell(arguments: &Proxy, url: &str, wire: &str) -> anyhow::Result<()> {
    if arguments.json {
        return output::line(&json!({ "base_url": url, "wire": wire }));
    }
    let upstream = arguments.upstream.as_deref().or(arguments.base_url.as_deref()).unwrap_or_default();
    let model = arguments.model.as_deref().unwrap_or("as named by the client");
    let format_line = |format: &WireFormat| format!("  {:17} {url}{}", format.as_str(), format.base_path());
    let lines: Vec<String> = WireFormat::all().iter().map(format_line).collect();
    output::print(&format!(
        "serving {upstream} ({wire}; model: {model}) until Ctrl-C, for clients of\n{}\n",
        lines.join("\n")
    ))
}
