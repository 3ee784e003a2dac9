//! `windlass proxy`: serves one provider to clients of all wire formats.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use tokio::net::TcpListener;
use windlass_app::providers::Provider;
use windlass_app::{App, WireFormat};
use windlass_gateway::{Gateway, ServeOptions, Upstream, serve_until};

use crate::arguments::{Proxy, provider_choice};
use crate::output;

pub(crate) async fn proxy(arguments: Proxy, app: &App) -> anyhow::Result<ExitCode> {
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
    let upstream = Upstream::from_client(client).with_name(arguments.model.clone());
    let servers = WireFormat::all().iter().copied().map(WireFormat::server);
    let gateway = servers.fold(Gateway::new(upstream), Gateway::with_server);
    let listener = TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("{} cannot be bound", arguments.listen))?;
    tell(&arguments, &format!("http://{}", listener.local_addr()?), wire.name())?;
    let mut signal = Ok(());
    let stop = async { signal = tokio::signal::ctrl_c().await };
    serve_until(listener, gateway, ServeOptions::default(), stop)
        .await
        .context("connections can no longer be accepted")?;
    signal.context("the Ctrl-C handler cannot be installed")?;
    Ok(ExitCode::SUCCESS)
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
