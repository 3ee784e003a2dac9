//! `windlass tool call`: calls tools by hand, under the same policy as in a run.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_app::assembly::{Consent, ManualCalls, ToolPlan, build_shell, prepare_tools};
use windlass_app::policies::load_tool_policy;
use windlass_app::runs::Recording;
use windlass_app::secrets::collect_folder_secrets;
use windlass_app::{App, ToolPreset, resolve_root};
use windlass_protocol::{Arguments, CallId, ToolCall, ToolName};
use windlass_redact::Redactor;

use crate::arguments::Call;
use crate::input;
use crate::manual::{Interrupt, tell, terminal_human};

/// Runs the calls one after the other. Stops at the first one that fails.
pub(crate) async fn call(arguments: Call, app: &App) -> anyhow::Result<ExitCode> {
    let calls = calls(&arguments)?;
    let manual = manual_calls(&arguments, app).await?;
    for call in &calls {
        let interrupt = Interrupt::default();
        let (result, decision) = manual.call(call, interrupt.wait()).await?;
        tell(&result, decision, arguments.json)?;
        let code = interrupt.exit_code(&result);
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn calls(arguments: &Call) -> anyhow::Result<Vec<ToolCall>> {
    let first = (&arguments.name, &arguments.arguments);
    let then = arguments.then.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)));
    let mut calls = Vec::new();
    for (position, (name, text)) in std::iter::once(first).chain(then).enumerate() {
        let text = if text == "-" { input::text(Path::new("-"))? } else { text.clone() };
        calls.push(ToolCall::function(
            CallId::new(format!("call_{}", position.saturating_add(1)))?,
            ToolName::new(name.clone())?,
            Arguments::parse(text).context("the arguments are not a JSON object")?,
        ));
    }
    Ok(calls)
}

async fn manual_calls(arguments: &Call, app: &App) -> anyhow::Result<ManualCalls> {
    let root = resolve_root(&arguments.root)?;
    let policy = arguments.policy.as_deref();
    let shell = build_shell(app, arguments.sandbox.confinement(), policy)?;
    let selection = arguments.offering.selection();
    let outputs = tempfile::tempdir().context("a folder for long outputs cannot be created")?;
    let plan = ToolPlan::new(ToolPreset::Full, &selection).with_outputs(outputs.path());
    let toolbox = prepare_tools(app, &Recording::none(), &root, plan, &shell)?.start_processes().await;
    let toolbox = super::in_mode(toolbox, selection.mode.as_deref())?;
    let policy = load_tool_policy(app, &root, policy, &selection)?;
    let redactor = Redactor::new(collect_folder_secrets(&root));
    let consent = if arguments.yes { Consent::Given } else { Consent::Missing };
    Ok(ManualCalls::new(toolbox, policy, redactor, root, outputs)
        .with_consent(consent)
        .with_human(terminal_human()))
}
