//! The commands that a person types after `!` in a conversation.

use std::sync::Arc;

use anyhow::Context as _;
use tokio::sync::OnceCell;
use windlass_app::assembly::{Consent, ManualCalls, ToolPlan, build_shell, prepare_tools};
use windlass_app::policies::load_tool_policy;
use windlass_app::runs::Recording;
use windlass_app::secrets::collect_folder_secrets;
use windlass_app::{App, RunSettings, ToolPreset, causes};
use windlass_protocol::{Arguments, CallId, ToolCall, ToolName};
use windlass_redact::Redactor;
use windlass_tui::CommandRunner;

use crate::service::ServedSessions;

/// Returns the runner. A command is a call of `run_command`: policy can deny it, and the person who typed the
/// command answers a question of policy by that.
pub(super) fn runner(sessions: &ServedSessions) -> CommandRunner {
    let place = Arc::new((sessions.app.clone(), sessions.template.clone()));
    let manual: Arc<OnceCell<ManualCalls>> = Arc::default();
    CommandRunner::new(move |command| {
        let (place, manual) = (Arc::clone(&place), Arc::clone(&manual));
        async move {
            let (app, settings) = &*place;
            let manual = match manual.get_or_try_init(|| manual_calls(app, settings)).await {
                Ok(manual) => manual,
                Err(error) => return error.to_string(),
            };
            run(manual, &command).await.unwrap_or_else(|error| format!("{error:#}"))
        }
    })
}

async fn run(manual: &ManualCalls, command: &str) -> anyhow::Result<String> {
    let arguments = serde_json::json!({ "command": command }).to_string();
    let call = ToolCall::function(
        CallId::new("call_1".to_owned())?,
        ToolName::new("run_command".to_owned())?,
        Arguments::parse(arguments).context("the command cannot be a call")?,
    );
    match manual.call(&call, std::future::pending()).await {
        Ok((result, _)) => Ok(result.display_text()),
        Err(error) => Ok(causes(&error).join(": ")),
    }
}

async fn manual_calls(app: &App, settings: &RunSettings) -> anyhow::Result<ManualCalls> {
    let (root, policy) = (settings.root.clone(), settings.policy.as_deref());
    let shell = build_shell(app, settings.sandbox, policy)?;
    let outputs = tempfile::tempdir().context("a folder for long outputs cannot be created")?;
    let plan = ToolPlan::new(ToolPreset::Full, &settings.offering).with_outputs(outputs.path());
    let toolbox = prepare_tools(app, &Recording::none(), &root, plan, &shell)?.start_processes().await;
    let policy = load_tool_policy(app, &root, policy, &settings.offering)?;
    let redactor = Redactor::new(collect_folder_secrets(&root));
    Ok(ManualCalls::new(toolbox, policy, redactor, root, outputs).with_consent(Consent::Given))
}
