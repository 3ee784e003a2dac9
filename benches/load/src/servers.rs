//! The upstream and the gateway, each in a process of its own.

use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::json;
use windlass_client::{Client, Endpoint, Options};
use windlass_gateway::{Front, Gateway, Listener, MemoryStateStore, ServeOptions, Upstream, serve};
use windlass_mock::{Script, ScriptedProvider};
use windlass_vendors::WireFormat;

use crate::traffic;

/// Serves the script until the process is killed.
pub(crate) async fn run_upstream() -> Result<()> {
    let script = Script::parse(&traffic::script()).context("the script is wrong")?;
    let mut provider = ScriptedProvider::start(script, 0).await?;
    println!("{}", json!({"base_url": provider.base_url()}));
    provider.wait().await;
    Ok(())
}

/// Serves all formats in front of an upstream of one format until the process is killed.
pub(crate) async fn run_gateway(upstream: &str, format: &str) -> Result<()> {
    let format = WireFormat::find(format).with_context(|| format!("{format:?} is not a format"))?;
    let base = format!("{upstream}{}", format.base_path);
    let options = Options { retries: 0, ..Options::default() };
    let endpoint = Endpoint::custom(base, format.name());
    let client = Client::new(endpoint, None, format.wire.clone(), options)?;
    let gateway = WireFormat::all()
        .iter()
        .map(|format| format.server.clone())
        .fold(Gateway::new(Upstream::from_client(client)), Gateway::with_server);
    // The command line stores responses by default.
    let front = Front::new(gateway).with_state(Arc::new(MemoryStateStore::default()));
    let listener = Listener::bind(([127, 0, 0, 1], 0).into())?;
    let address = listener.local_addr().context("the socket has no address")?;
    println!("{}", json!({"base_url": format!("http://{address}")}));
    serve(listener, front, ServeOptions::default()).await?;
    Ok(())
}
