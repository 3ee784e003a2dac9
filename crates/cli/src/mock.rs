//! `windlass mock`: serves a script as a provider, to any client.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use windlass_mock::{Script, ScriptedProvider};

use crate::arguments::Mock;
use crate::{input, output};

pub(crate) async fn mock(arguments: Mock) -> anyhow::Result<ExitCode> {
    let text = input::text(&arguments.script)?;
    let script =
        Script::parse(&text).with_context(|| format!("{} is not a script", arguments.script.display()))?;
    let provider = ScriptedProvider::start(script, arguments.port)
        .await
        .with_context(|| format!("port {} on 127.0.0.1 cannot be opened", arguments.port))?;
    if arguments.json {
        output::line(&json!({ "base_url": provider.base_url() }))?;
    } else {
        output::print(&format!("serving {} until Ctrl-C\n", provider.base_url()))?;
    }
    tokio::signal::ctrl_c().await.context("the Ctrl-C handler cannot be installed")?;
    provider.shutdown().await;
    Ok(ExitCode::SUCCESS)
}
