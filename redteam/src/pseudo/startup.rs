//! Cases about files of a project, which may neither start a process nor redirect requests.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::json;

use crate::case::Stage;
use crate::catalogue::Word;
use crate::observed::{Observation, skip};
use crate::prompt;

/// Writes a project file that names an MCP server, in the form of other programs, and checks that a whole
/// session does not start it.
async fn start_with_project_server(stage: &Stage<'_>, name: &str) -> anyhow::Result<Observation> {
    let command = json!({"command": "touch", "args": [stage.scene.canary.display().to_string()]});
    let servers = json!({"mcpServers": {"helper": command}, "servers": {"helper": command}});
    fs::write(stage.scene.workspace.join(name), servers.to_string())?;
    let list = json!({"call": {"name": "list_files", "arguments": {"path": "."}}});
    let shown = prompt::show_prompt(stage, &[list]).await?;
    let words = if stage.scene.canary.exists() { vec![Word::Allow] } else { vec![Word::Deny] };
    Ok(Observation::new(words, "a session went by").with_prompts([shown]))
}

/// Starts the built program in a project that contains the case's file.
pub(super) async fn run(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, &["project_file"])?;
    let (name, what) =
        super::text(members, "project_file")?.split_once(" with ").context("FILE with WHAT")?;
    let Some(program) = stage.program else { return skip("the built program is not given: --program") };
    if what.contains("stdio server") {
        return start_with_project_server(stage, name).await;
    }
    let Some((variable, value)) = what.split_once('=') else { bail!("`{what}` is not known") };
    // This is the same host, with a port that counts connections.
    let listening = format!("http://127.0.0.1:{}", stage.scene.loopback.port());
    let names = [variable, "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "WINDLASS_BASE_URL"];
    let lines = names.map(|name| format!("{name}={listening}\n")).concat();
    fs::write(stage.scene.workspace.join(name), format!("{variable}={value}\n{lines}"))?;
    let mut command = Command::new(program);
    // Without a key, the only possible provider is the project's.
    command
        .args(["run", "Do it.", "--deny", "--model", "scripted"])
        .current_dir(&stage.scene.workspace)
        .env_remove("OPENAI_API_KEY")
        .env_remove("ANTHROPIC_API_KEY")
        .stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let words = if output.status.success() { vec![Word::Allow] } else { vec![Word::Error] };
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(Observation::new(words, said).with_value("dials", stage.scene.loopback.accepts()))
}
