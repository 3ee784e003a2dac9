//! `windlass mcp call`: calls a server's tool by hand, under the same policy as a call of a model.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use windlass_agent::Approver;
use windlass_protocol::{Arguments, CallId, ToolCall};
use windlass_toolbox::{Identity, Toolbox};

use super::connect::{Connected, ruled};
use super::target::Targets;
use crate::arguments::McpCall;
use crate::by_hand::{Consent, Place, tell};
use crate::terminal::Terminal;
use crate::{input, policies};

pub(crate) async fn call(arguments: McpCall) -> anyhow::Result<ExitCode> {
    let targets = Targets::find(arguments.server.as_deref(), &arguments.spot)?;
    let server = targets.only()?.name.clone();
    let text =
        if arguments.arguments == "-" { input::text(Path::new("-"))? } else { arguments.arguments.clone() };
    let parsed = Arguments::parse(text).context("the arguments are not a JSON object")?;
    let connected = targets.connect(&arguments.spot).await?;
    connected.tell_failures();
    let known = connected.connections.names();
    let tools = known.iter().find(|(name, _)| *name == server).map(|(_, tools)| tools.as_slice());
    anyhow::ensure!(
        tools.is_some_and(|tools| tools.contains(&arguments.tool)),
        "the MCP server {server} has no tool {}; `windlass mcp tools` lists those that there are",
        arguments.tool
    );
    let name = Identity::mcp(&server, &arguments.tool).name().clone();
    let call = ToolCall::function(CallId::new("call_1")?, name, parsed);
    let place = place(&arguments, &targets, &connected)?;
    let (result, decision) = place.make(&call).await?;
    tell(&result, decision, arguments.json)?;
    connected.connections.close().await;
    Ok(if result.status.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn place(arguments: &McpCall, targets: &Targets, connected: &Connected) -> anyhow::Result<Place> {
    let policy = policies::load(&targets.root, arguments.policy.as_deref())?;
    let consent = if arguments.yes {
        Consent::Given
    } else if Terminal::is_there() {
        let terminal: Arc<dyn Approver> = Arc::new(Terminal::new());
        Consent::Asked(connected.accepted.heard_from(terminal))
    } else {
        Consent::Missing
    };
    Ok(Place {
        toolbox: connected.connections.add_to(Toolbox::builder()).build()?,
        policy: ruled(policy, connected, &targets.servers)?,
        redactor: targets.redactor(),
        root: targets.root.clone(),
        outputs: tempfile::tempdir().context("a folder for long outputs cannot be made")?,
        consent,
    })
}
