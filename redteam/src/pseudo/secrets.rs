//! Cases about secrets in debug output, journals and error messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use secrecy::SecretString;
use serde_json::{Value, json};
use windlass_client::{Client, Endpoint};
use windlass_mock::{Script, ScriptedProvider};
use windlass_protocol::{Effect, Payload, ToolName, ToolSpec};
use windlass_tool::{Context, Tool, ToolFuture};
use windlass_wire_openai_chat::{OpenAiChat, OpenAiChatOptions};

use crate::asserts::mode_of;
use crate::case::Stage;
use crate::catalogue::Word;
use crate::engine::Engine;
use crate::observed::{Observation, skip};
use crate::session::Session;

fn client(stage: &Stage<'_>) -> anyhow::Result<Client> {
    let endpoint = Endpoint::custom("http://127.0.0.1:9/v1", "openai-chat");
    let key = SecretString::from(stage.scene.secret.clone());
    Ok(Client::builder(endpoint, Arc::new(OpenAiChat::new(OpenAiChatOptions::default())))
        .key(Some(key))
        .build()?)
}

/// Prints a value that holds a key with `Debug`, like a developer who searches for a defect.
pub(super) async fn debug_print(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, &["value"])?;
    let client = client(stage)?;
    let printed = match super::text(members, "value")? {
        "config" => format!("{:?} {:?}", client, client.endpoint()),
        "key" => format!("{:?}", SecretString::from(stage.scene.secret.clone())),
        "error" => {
            let agent = windlass_agent::Agent::builder().model(client, "scripted").build()?;
            format!("{:?}", agent.run("Do it.").await)
        }
        other => bail!("the value `{other}` is not known"),
    };
    Ok(Observation::new([Word::Contained], printed.clone()).with_results([printed]))
}

/// Runs a session of the built program that reads its key from a file and from the environment, and returns
/// the journal.
pub(super) async fn journal(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    super::members(stage, &["after_session"])?;
    let Some(program) = stage.program else { return skip("the built program is not given: --program") };
    let steps = [
        json!({"call": {"name": "read_file", "arguments": {"path": ".env"}}}),
        json!({"call": {"name": "run_command", "arguments": {"command": "env"}}}),
    ];
    let script = json!({"turns": [{"steps": steps}], "fallback": "That is all."});
    let provider = ScriptedProvider::start(Script::parse(&script.to_string())?, 0).await?;
    let mut command = Command::new(program);
    command
        .args(["run", "Do it.", "--yes", "--wire", "openai-chat", "--model", "scripted", "--base-url"])
        .arg(format!("{}/v1", provider.base_url()))
        .arg("--root")
        .arg(&stage.scene.workspace)
        .env("OPENAI_API_KEY", &stage.scene.secret)
        .stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    provider.shutdown().await;
    let kept = journals(&stage.scene.policy.join("runs"));
    let journal = kept.first().with_context(|| {
        format!("the program kept no journal: {}", String::from_utf8_lossy(&output.stderr).trim())
    })?;
    let text = String::from_utf8_lossy(&fs::read(journal)?).into_owned();
    Ok(Observation::new([Word::Contained], format!("{} bytes of journal", text.len()))
        .with_value("journal", text)
        .with_value("mode", mode_of(journal)?))
}

fn journals(runs: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(runs).into_iter().flatten().flatten();
    folders.map(|folder| folder.path().join("journal")).filter(|journal| journal.is_file()).collect()
}

/// A tool that panics with all its data in the message.
struct Breaking {
    spec: ToolSpec,
    client: Client,
}

impl Tool for Breaking {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    #[expect(clippy::panic, reason = "this tool breaks down, that is what it is for")]
    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async { panic!("cannot go on with {:?}", self.client) })
    }
}

/// Checks that a panic fails only its call and does not reveal a secret.
pub(super) async fn panic(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    super::members(stage, &["in_tool"])?;
    let schema = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    let spec = ToolSpec::function(ToolName::new("breaking")?, "Breaks down.", schema.parse()?);
    let tool: Arc<dyn Tool> = Arc::new(Breaking { spec, client: client(stage)? });
    let engine = Engine::with_tools(stage.scene, stage.setup, vec![tool])?;
    let ran = Session::for_call(engine, "breaking", "{}", stage.setup.answers).run().await?;
    let requests = Value::from(ran.requests.clone()).to_string();
    Ok(ran.observe(stage.setup.answers).with_results([requests]))
}
