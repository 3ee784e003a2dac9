//! `windlass acp`: the agent for editors over standard input and output.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use windlass_acp::{AcpAgent, AcpOptions};
use windlass_app::App;
use windlass_app::sessions::SessionHost;

use crate::arguments::{Acp, Run};
use crate::output;
use crate::run::settings_of;
use crate::signals::Signals;

pub(crate) async fn acp(arguments: Acp, app: &App) -> anyhow::Result<ExitCode> {
    check(&arguments.run)?;
    let app = &arguments.run.store.open(app)?;
    let template = settings_of(&arguments.run, app, String::new())?;
    let host = SessionHost::new(app)?;
    let mut options = AcpOptions::default();
    options.ignore_client_servers = arguments.ignore_client_servers;
    let agent = AcpAgent::new(app.clone(), host.clone(), template, options);
    let mut signals = Signals::listen()?;
    let is_driven = AtomicBool::new(false);
    let mut code = 0;
    let stop = async { code = signals.wait_for_end(&is_driven).await };
    let served = agent.serve_until(tokio::io::stdin(), tokio::io::stdout(), stop).await;
    let working = host.handles().len();
    if working > 0 {
        output::note(&format!("stopping {working} runs in order; the editor can load their sessions later"));
    }
    tokio::select! {
        () = host.stop_all() => {}
        _ = signals.wait_for_end(&is_driven) => output::note("the runs were not stopped in order"),
    }
    served.context("the connection to the editor failed")?;
    Ok(ExitCode::from(code))
}

/// Refuses options that have no effect in an editor.
fn check(run: &Run) -> anyhow::Result<()> {
    let given = [
        ("a task", run.task.is_some()),
        ("--resume", run.resume.is_some()),
        ("--salvage", run.salvage),
        ("--record", run.record.is_some()),
        ("--replay", run.replay.is_some()),
        ("--json", run.json),
        ("--yes", run.approval.yes),
        ("--ask", run.approval.ask),
        ("--deny", run.approval.deny),
        ("--suspend", run.approval.suspend),
    ];
    let names: Vec<&str> = given.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
    anyhow::ensure!(
        names.is_empty(),
        "{} cannot be given with acp: the editor sends the tasks and answers the questions",
        names.join(", ")
    );
    Ok(())
}
