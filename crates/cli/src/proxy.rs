//! `windlass proxy`: serves one provider to clients of all wire formats.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::json;
use tokio::net::TcpListener;
use windlass_gateway::{Gateway, ServeOptions, Upstream, serve_until};

use crate::arguments::{Proxy, WireName};
use crate::output;
use crate::provider::Provider;
use crate::tape::Tape;

pub(crate) async fn proxy(arguments: Proxy) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        arguments.listen.ip().is_loopback() || arguments.allow_remote,
        "{} can be reached from other machines, and whoever reaches it speaks with your key; \
         say --allow-remote if that is meant",
        arguments.listen
    );
    let provider = Provider::of_upstream(&arguments);
    let (client, _) = provider.client(&arguments.reach.impatient(), &Tape::none())?;
    let wire = client.wire().clone();
    let upstream = Upstream::new(Arc::new(client), wire.clone()).with_name(arguments.model.clone());
    let servers = WireName::all().iter().map(|name| name.server());
    let gateway = servers.fold(Gateway::new(upstream), Gateway::with_server);
    let listener = TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("{} cannot be listened at", arguments.listen))?;
    tell(&arguments, &format!("http://{}", listener.local_addr()?), wire.name())?;
    let mut signal = Ok(());
    let stop = async { signal = tokio::signal::ctrl_c().await };
    serve_until(listener, gateway, ServeOptions::default(), stop)
        .await
        .context("no connection can be taken any more")?;
    signal.context("Ctrl-C cannot be waited for")?;
    Ok(ExitCode::SUCCESS)
}

fn tell(arguments: &Proxy, url: &str, wire: &str) -> anyhow::Result<()> {
    if arguments.json {
        return output::line(&json!({ "base_url": url, "wire": wire }));
    }
    let upstream = arguments.upstream.as_deref().or(arguments.base_url.as_deref()).unwrap_or_default();
    let model = arguments.model.as_deref().unwrap_or("the one that the client names");
    let format_line = |name: &WireName| format!("  {:17} {url}{}", name.as_str(), name.base_path());
    let lines: Vec<String> = WireName::all().iter().map(format_line).collect();
    output::print(&format!(
        "serving {upstream} ({wire}; model: {model}) until Ctrl-C, for clients of\n{}\n",
        lines.join("\n")
    ))
}
