//! A conversation with a scripted provider: `cargo run -p windlass-tui --example talk -- script.json`.
#![expect(clippy::disallowed_methods, reason = "a program reads its arguments and its environment")]

use std::error::Error;

use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::SessionHost;
use windlass_app::{App, Folders, RunSettings};
use windlass_mock::{Script, ScriptedProvider};
use windlass_tui::{Conversation, TerminalProfile, TuiOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let script = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(file)?,
        None => {
            r##"{"turns": [{"steps": [{"text": "# Hello\n\nI am a script."}], "delay_ms": 50}]}"##.to_owned()
        }
    };
    let provider = ScriptedProvider::start(Script::parse(&script)?, 0).await?;
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("project");
    std::fs::create_dir(&project)?;
    let app = App::new(Folders::new(folder.path().join("settings"), folder.path().join("state")));
    let mut choice = ProviderChoice::default();
    choice.base_url = Some(format!("{}/v1", provider.base_url()));
    choice.model = Some("scripted-1".to_owned());
    let chosen = Provider::select(&app, &choice, &ProviderOptions::default())?;
    let mut template = RunSettings::new("", chosen, &project)?;
    template.servers = false;
    template.sandbox = windlass_app::Confinement::Off;
    let profile = TerminalProfile::detect(|name| std::env::var(name).ok());
    let mut options = TuiOptions::default();
    (options.theme, options.is_reflowing) = (profile.theme, profile.is_reflowing);
    options.editor = std::env::var("EDITOR").ok();
    "a conversation with a script".clone_into(&mut options.greeting);
    Conversation::new(SessionHost::new(&app)?, template, options).run(std::future::pending()).await?;
    Ok(())
}
