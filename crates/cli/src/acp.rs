//! `windlass acp`: the agent for editors over standard input and output.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_acp::{AcpAgent, AcpOptions, serve_error};
use windlass_app::App;

use crate::arguments::Acp;
use crate::service::ServedSessions;

pub(crate) async fn acp(arguments: Acp, app: &App) -> anyhow::Result<ExitCode> {
    let mut sessions = match ServedSessions::open(&arguments.run.0, app) {
        Ok(sessions) => sessions,
        Err(error) => return refuse(error).await,
    };
    let mut options = AcpOptions::default();
    options.ignore_client_servers = arguments.ignore_client_servers;
    let (host, template) = (sessions.host.clone(), sessions.template.clone());
    let agent = AcpAgent::new(sessions.app.clone(), host, template, options);
    let mut code = 0;
    let stop = async { code = sessions.wait_for_end().await };
    let served = agent.serve_until(tokio::io::stdin(), tokio::io::stdout(), stop).await;
    sessions.stop("the editor").await;
    served.context("the connection to the editor failed")?;
    Ok(ExitCode::from(code))
}

/// Sends the editor the reason why no session can begin, until it closes the connection. An editor shows nothing if a program ends
/// before its first answer. A person at a terminal reads the error at once.
async fn refuse(error: anyhow::Error) -> anyhow::Result<ExitCode> {
    if !std::io::stdin().is_terminal() {
        let words = format!("{error:#}");
        serve_error(&words, tokio::io::stdin(), tokio::io::stdout())
            .await
            .context("the connection to the editor failed")?;
    }
    Err(error)
}
