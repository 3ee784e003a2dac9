//! `windlass mcp call`: calls a server's tool by hand, under the same policy as a call of a model.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use windlass_agent::Approver;
use windlass_app::App;
use windlass_app::assembly::{Consent, ManualCalls};
use windlass_app::mcp::{ConnectedServers, ServerTargets, add_approval_rules};
use windlass_app::policies::load_policy;
use windlass_protocol::{Arguments, CallId, ToolCall};
use windlass_toolbox::{Identity, Toolbox};

use super::targets::{connect, find_named};
use crate::arguments::McpCall;
use crate::input;
use crate::manual::{Interrupt, tell, terminal_human};
use crate::terminal::Terminal;

pub(crate) async fn call(arguments: McpCall, app: &App) -> anyhow::Result<ExitCode> {
    let targets = find_named(app, arguments.server.as_deref(), &arguments.spot)?;
    let server = targets.only()?.name.clone();
    let text =
        if arguments.arguments == "-" { input::text(Path::new("-"))? } else { arguments.arguments.clone() };
    let parsed = Arguments::parse(text).context("the arguments are not a JSON object")?;
    let connected = connect(app, &targets, &arguments.spot).await?;
    connected.report_failures(app);
    let known = connected.connections.names();
    let tools = known.iter().find(|(name, _)| *name == server).map(|(_, tools)| tools.as_slice());
    anyhow::ensure!(
        tools.is_some_and(|tools| tools.contains(&arguments.tool)),
        "the MCP server {server} has no tool {}; `windlass mcp tools` lists its tools",
        arguments.tool
    );
    let name = Identity::mcp(&server, &arguments.tool).name().clone();
    let call = ToolCall::function(CallId::new("call_1")?, name, parsed);
    let manual = manual_calls(&arguments, app, &targets, &connected)?;
    let interrupt = Interrupt::default();
    let (result, decision) = manual.call(&call, interrupt.wait()).await?;
    tell(&result, decision, arguments.json)?;
    connected.connections.close().await;
    Ok(interrupt.exit_code(&result))
}

fn manual_calls(
    arguments: &McpCall,
    app: &App,
    targets: &ServerTargets,
    connected: &ConnectedServers,
) -> anyhow::Result<ManualCalls> {
    let policy = load_policy(app, &targets.root, arguments.policy.as_deref())?;
    let consent = if arguments.yes {
        Consent::Given
    } else if Terminal::is_there() {
        let terminal: Arc<dyn Approver> = Arc::new(Terminal::new());
        Consent::Asked(connected.wrap_approver(terminal))
    } else {
        Consent::Missing
    };
    let toolbox = connected.connections.add_to(Toolbox::builder()).build()?;
    let policy = add_approval_rules(policy, connected, &targets.servers)?;
    let outputs = tempfile::tempdir().context("a folder for long outputs cannot be created")?;
    let manual = ManualCalls::new(toolbox, policy, targets.redactor(), targets.root.clone(), outputs);
    Ok(manual.with_consent(consent).with_human(terminal_human()))
}
