//! `windlass` without a command: a conversation in the terminal.

mod commands;
mod plain;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::Context as _;
use tokio::sync::mpsc;
use windlass_app::configuration::Configuration;
use windlass_app::{App, Notice, variable};
use windlass_tui::{Conversation, ProgramNotice, TerminalProfile, TuiOptions};

use crate::arguments::{Chat, refuse_without_command};
use crate::service::ServedSessions;
use crate::{output, remedies};

pub(crate) async fn chat(arguments: Chat, app: &App) -> anyhow::Result<ExitCode> {
    if !std::io::stdin().is_terminal() {
        refuse_without_command();
    }
    let profile = TerminalProfile::detect(|name| variable(name));
    let run = arguments.run.0;
    if arguments.plain || !std::io::stdout().is_terminal() || !profile.can_move {
        return plain::chat(run, app).await;
    }
    // A notice on standard error would damage the view.
    let (sender, notices) = mpsc::unbounded_channel();
    let send = move |notice: &Notice| drop(sender.send(word_notice(notice)));
    let mut sessions = ServedSessions::open(&run, &app.clone().with_notices(send))?;
    let root = &sessions.template.root;
    let configuration = Configuration::load(app, root, run.profile.as_deref())?;
    let profile = profile.with_theme(configuration.text("theme").unwrap_or("auto"));
    let mut options = TuiOptions::default();
    (options.theme, options.is_reflowing) = (profile.theme, profile.is_reflowing);
    options.asks_background = profile.can_report_background;
    options.is_full_screen = arguments.fullscreen.unwrap_or_else(|| configuration.is_enabled("fullscreen"));
    "terminal".clone_into(&mut options.window);
    options.has_picker = run.resume.as_deref() == Some("");
    options.session = run.resume.or(run.continued).filter(|session| !session.is_empty());
    options.editor = variable("VISUAL").or_else(|| variable("EDITOR"));
    options.greeting =
        format!("windlass {} in {}", env!("CARGO_PKG_VERSION"), sessions.template.root.display());
    let commands = commands::runner(&sessions);
    let conversation = Conversation::new(sessions.host.clone(), sessions.template.clone(), options);
    let mut code = 0;
    let stop = async { code = sessions.wait_for_end().await };
    let session = conversation.with_notices(notices).with_commands(commands).run(stop).await;
    if let Some(session) = session.context("the terminal cannot be used; try --plain")? {
        output::note(&format!("continue with: windlass --resume {session}"));
    }
    Ok(ExitCode::from(code))
}

/// Returns the text of a notice, with the command of the conversation that reverses the reported change.
fn word_notice(notice: &Notice) -> ProgramNotice {
    match notice {
        Notice::Learned { text, id } => {
            let text = text.trim_start_matches("· ");
            ProgramNotice::new(format!("{text}; revoke it with: /policy revoke {id}"))
        }
        Notice::Wait { text, reason, wait } => {
            ProgramNotice::new(text.trim_start_matches("! ")).with_wait(reason, *wait)
        }
        other => ProgramNotice::new(remedies::word_notice(other)),
    }
}
