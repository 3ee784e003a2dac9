//! `windlass acp`: the agent for editors over standard input and output.

use std::process::ExitCode;

use anyhow::Context as _;
use windlass_acp::{AcpAgent, AcpOptions};
use windlass_app::App;

use crate::arguments::Acp;
use crate::service::ServedSessions;

pub(crate) async fn acp(arguments: Acp, app: &App) -> anyhow::Result<ExitCode> {
    let mut sessions = ServedSessions::open(&arguments.run.0, app)?;
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
