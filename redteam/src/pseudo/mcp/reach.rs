//! Scripted servers as a user has them: started, accepted, and used in a run.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use windlass_hitl::Source;
use windlass_mcp::{ClientOptions, McpClient, McpLimits, McpServer};

use super::script::Script;
use crate::case::Stage;
use crate::engine::Engine;
use crate::rules;
use crate::session::{Session, SessionResult};

/// Performs a run with the tools of these servers, in which the model makes these calls. A rule allows the
/// servers in `allowed`.
pub(super) async fn session(
    stage: &Stage<'_>,
    clients: &[&McpClient],
    allowed: &[&str],
    called: &[String],
) -> anyhow::Result<SessionResult> {
    let tools = clients.iter().flat_map(|client| client.tools()).collect();
    let mut engine = Engine::with_tools(stage.scene, stage.setup, tools)?;
    let rule = |id: &&str| format!("[[rule]]\nid = \"mcp-{id}\"\naction = \"allow\"\nserver = \"{id}\"\n");
    let file: String = allowed.iter().map(rule).collect();
    engine.policy = engine.policy.with_file(Source::User, rules::parse(&file)?)?;
    // Use the names that the model sees.
    let names = engine.toolbox.names();
    let shown = |name: &String| names.display_name(name).map_or_else(|| name.clone(), ToString::to_string);
    let turns: Vec<Vec<Value>> =
        called.iter().map(|name| vec![json!({"call": {"name": shown(name), "arguments": "{}"}})]).collect();
    Session::for_turns(engine, &turns, stage.setup.answers).run().await
}

pub(super) async fn start(id: &str, script: &Script, limits: McpLimits) -> anyhow::Result<McpClient> {
    Ok(McpClient::start(server(id, script)?.with_limits(limits), ClientOptions::default()).await?)
}

/// Returns this program as a server.
pub(super) fn server(id: &str, script: &Script) -> anyhow::Result<McpServer> {
    let server = McpServer::new(id, std::env::current_exe()?)?;
    Ok(server.with_argument("serve-mcp").with_argument(serde_json::to_string(script)?))
}

/// Accepts the tools as they are now, like a user who has reviewed them.
pub(super) fn accept(client: &McpClient) {
    for definition in client.definitions() {
        client.accept(&definition.name, &definition.fingerprint);
    }
}

/// Returns the registry name of the tool at this position.
pub(super) fn name_of(client: &McpClient, position: usize) -> anyhow::Result<String> {
    let tools = client.tools();
    let tool = tools
        .get(position)
        .with_context(|| format!("the tool is missing: {:?}", client.list_refused_tools()))?;
    Ok(tool.spec().name().to_string())
}

pub(super) async fn wait_until(holds: impl Fn() -> bool) -> anyhow::Result<()> {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), waiting).await.context("the expected output did not arrive")
}
