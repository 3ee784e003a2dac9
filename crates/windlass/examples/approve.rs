//! Human in the loop: calls that only read run without approval, calls that write need approval, and the
//! comment of a denial reaches the model. Runs without a network.
//!
//! `cargo run -p windlass --example approve`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::sync::Arc;

use futures_util::StreamExt;
use windlass::agent::ApproverFuture;
use windlass::policy::{ApprovalDecision, ApprovalRequest};
use windlass::providers::openai_chat::OpenAiChat;
use windlass::sandbox::Workspace;
use windlass::toolbox::{Preset, ToolConfig, Toolbox};
use windlass::{Agent, Approver, Event};
use windlass_mock::{Script, ScriptedModel};

/// An approver that only allows writing Markdown notes.
struct NotesOnly;

impl Approver for NotesOnly {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            println!("? {} ({:?} risk, rule {})", request.tool, request.risk, request.reason.rule_id);
            let id = request.request_id.clone();
            let is_note = request
                .effects
                .iter()
                .all(|effect| effect.path().is_some_and(|path| path.rsplit('.').next() == Some("md")));
            Some(if is_note {
                ApprovalDecision::approve(id)
            } else {
                ApprovalDecision::deny(id, Some("write notes in Markdown only".into()))
            })
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let workspace = Arc::new(Workspace::open(folder.path())?);
    let toolbox = Toolbox::builder()
        .tools(windlass::tools::fs::tools(&workspace))
        .config(ToolConfig::new(Preset::Full))
        .build()?;
    let script = Script::parse(
        r#"{"turns": [
            {"steps": [{"call": {"name": "write_file", "arguments": {"path": "notes.txt", "content": "one\n"}}}]},
            {"steps": [{"call": {"name": "write_file", "arguments": {"path": "notes.md", "content": "one\n"}}}]},
            {"steps": [{"text": "The note is in notes.md."}]}]}"#,
    )?;
    let model = ScriptedModel::new(script, Arc::new(OpenAiChat::default()));
    let agent = Agent::builder().model(model, "scripted-1").toolbox(toolbox).approver(NotesOnly).build()?;

    let mut events = agent.stream("Make a note.");
    while let Some(event) = events.next().await {
        match event? {
            Event::CallEnded { result } => println!("← {}", result.display_text()),
            Event::Finished { outcome, .. } => println!("{outcome:?}"),
            _ => {}
        }
    }
    Ok(())
}
