//! The command line `windlass`: runs agents, and shows each stage of a tool call.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is where the program meets its user's machine"
)]

#[cfg(feature = "acp")]
mod acp;
#[cfg(feature = "subagent")]
mod agents;
mod approvals;
mod arguments;
mod browser;
#[cfg(feature = "tui")]
mod chat;
mod check;
mod completions;
mod config;
#[cfg(feature = "mock")]
mod demo;
mod doctor;
mod drive;
mod encode;
#[cfg(feature = "temporal")]
mod engine;
mod fork;
mod hooks;
mod input;
mod json;
mod logging;
mod login;
mod long_calls;
mod manual;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(not(all(
    feature = "gateway",
    feature = "mcp",
    feature = "mock",
    feature = "subagent",
    feature = "temporal",
    feature = "workflow"
)))]
mod missing;
#[cfg(feature = "mock")]
mod mock;
mod models;
mod modes;
mod named_run;
mod output;
mod paint;
mod panics;
mod parse;
mod people;
mod policy;
mod progress;
#[cfg(feature = "mock")]
mod project;
#[cfg(feature = "gateway")]
mod proxy;
mod remedies;
mod restore;
mod run;
mod say;
mod screen;
mod script;
#[cfg(feature = "server")]
mod serve;
#[cfg(any(feature = "acp", feature = "server", feature = "tui"))]
mod service;
mod sessions;
mod show;
#[cfg(any(feature = "acp", feature = "mock", feature = "server", feature = "tui"))]
mod signals;
mod stalls;
mod telemetry;
mod telling;
mod terminal;
mod text;
mod tool;
mod trust;
mod usage;
mod wires;
#[cfg(feature = "workflow")]
mod workflow;

use std::process::ExitCode;

use windlass_app::{App, Notice, assembly};

use crate::arguments::{Command, Service, Settings};

fn main() -> ExitCode {
    // Must run before the first thread starts: the helper leaves the host's namespaces, which a process with
    // several threads cannot do.
    if let Some(code) = assembly::run_confinement_helper() {
        return code;
    }
    // This process's memory contains keys, so other processes of the user must not read it.
    if let Err(error) = windlass_sandbox::close_memory() {
        output::note(&format!("other processes of this user can read this process's memory: {error}"));
    }
    panics::install();
    let app = App::from_environment().with_notices(|notice: &Notice| {
        let wait = if let Notice::Wait { wait, .. } = notice { Some(*wait) } else { None };
        output::note_wait(&remedies::word_notice(notice), wait);
    });
    let end = arguments::parse(&app).and_then(|arguments| {
        logging::start(arguments.verbose, &app)?;
        match arguments.command {
            Some(command) => dispatch(command, &app),
            #[cfg(feature = "tui")]
            None => block_on(chat::chat(arguments.chat, &app)),
            // The parser has refused this.
            #[cfg(not(feature = "tui"))]
            None => Ok(ExitCode::FAILURE),
        }
    });
    match end {
        Ok(code) => code,
        // A reader that closed the output early, such as `head`, is not an error.
        Err(error) if output::is_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: Command, app: &App) -> anyhow::Result<ExitCode> {
    match command {
        #[cfg(feature = "mock")]
        Command::Demo(arguments) => block_on(demo::demo(arguments, app)),
        #[cfg(not(feature = "mock"))]
        Command::Demo(_) => missing::refuse("mock"),
        Command::Run(arguments) => block_on(run::run(*arguments, app)),
        Command::Fork(arguments) => block_on(fork::fork(arguments, app)),
        #[cfg(feature = "temporal")]
        Command::Approvals(arguments) if arguments.engine.engine.is_some() => {
            block_on(engine::answer(&arguments, app))
        }
        #[cfg(feature = "temporal")]
        Command::Say(arguments) if arguments.engine.engine.is_some() => {
            block_on(engine::say(&arguments, app))
        }
        #[cfg(feature = "temporal")]
        Command::Stop(arguments) => block_on(engine::stop(&arguments, app)),
        #[cfg(not(feature = "temporal"))]
        Command::Approvals(arguments::Approvals { engine, .. })
        | Command::Say(arguments::Say { engine, .. })
            if engine.engine.is_some() =>
        {
            missing::refuse("temporal")
        }
        #[cfg(not(feature = "temporal"))]
        Command::Stop(_) => missing::refuse("temporal"),
        Command::Approvals(arguments) => approvals::approvals(&arguments, app),
        Command::Sessions(arguments) => sessions::sessions(arguments, app),
        Command::Say(arguments) => say::say(&arguments, app),
        Command::Diff(arguments) => restore::diff(&arguments, app),
        Command::Restore(arguments) => restore::restore(&arguments, app),
        Command::Parse(arguments) => parse::parse(&arguments),
        Command::Json(arguments) => json::json(&arguments),
        Command::Encode(arguments) => encode::encode(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Tool(arguments) => block_on(tool::tool(arguments, app)),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => block_on(mcp::mcp(arguments, app)),
        #[cfg(not(feature = "mcp"))]
        Command::Mcp(_) => missing::refuse("mcp"),
        #[cfg(feature = "subagent")]
        Command::Agents(arguments) => agents::agents(&arguments, app),
        #[cfg(not(feature = "subagent"))]
        Command::Agents(_) => missing::refuse("subagent"),
        Command::Completions(arguments) => completions::completions(&arguments),
        #[cfg(feature = "man")]
        Command::Man(arguments) => completions::write_pages(&arguments),
        Command::Modes(arguments) => modes::modes(&arguments, app),
        #[cfg(feature = "workflow")]
        Command::Workflow(arguments) => block_on(workflow::workflow(arguments, app)),
        #[cfg(not(feature = "workflow"))]
        Command::Workflow(_) => missing::refuse("workflow"),
        Command::Policy(arguments) => policy::policy(arguments, app),
        Command::Settings(settings) => dispatch_settings(settings, app),
        Command::Doctor(arguments) => doctor::doctor(&arguments, app),
        Command::Models(arguments) => block_on(models::models(arguments, app)),
        Command::Service(service) => dispatch_service(service, app),
    }
}

/// Runs a command for the settings and permissions of later runs.
fn dispatch_settings(settings: Settings, app: &App) -> anyhow::Result<ExitCode> {
    match settings {
        Settings::Config(arguments) => config::config(&arguments, app),
        Settings::Login(arguments) => block_on(login::login(&arguments, app)),
        Settings::Logout(arguments) => login::logout(&arguments, app),
        Settings::Hooks(arguments) => hooks::hooks(&arguments, app),
        Settings::Trust(arguments) => trust::trust(&arguments, app),
    }
}

/// Runs a command that serves clients until it is stopped.
#[cfg_attr(
    not(any(feature = "acp", feature = "gateway", feature = "server", feature = "temporal")),
    expect(unused_variables, reason = "the mock reads no settings")
)]
fn dispatch_service(service: Service, app: &App) -> anyhow::Result<ExitCode> {
    match service {
        #[cfg(feature = "mock")]
        Service::Mock(arguments) => block_on(mock::mock(arguments)),
        #[cfg(not(feature = "mock"))]
        Service::Mock(_) => missing::refuse("mock"),
        #[cfg(feature = "gateway")]
        Service::Proxy(arguments) => block_on(proxy::proxy(*arguments, app)),
        #[cfg(not(feature = "gateway"))]
        Service::Proxy(_) => missing::refuse("gateway"),
        #[cfg(feature = "acp")]
        Service::Acp(arguments) => block_on(acp::acp(*arguments, app)),
        #[cfg(not(feature = "acp"))]
        Service::Acp(_) => missing::refuse("acp"),
        #[cfg(feature = "server")]
        Service::Serve(arguments) => block_on(serve::serve(*arguments, app)),
        #[cfg(feature = "server")]
        Service::Devices(arguments) => serve::devices(&arguments, app),
        #[cfg(not(feature = "server"))]
        Service::Serve(_) | Service::Devices(_) => missing::refuse("server"),
        #[cfg(feature = "temporal")]
        Service::Worker(arguments) => block_on(engine::work(*arguments, app)),
        #[cfg(not(feature = "temporal"))]
        Service::Worker(_) => missing::refuse("temporal"),
    }
}

fn block_on(work: impl Future<Output = anyhow::Result<ExitCode>>) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let end = runtime.block_on(work);
    // A thread that waits for a key press must not delay the exit.
    runtime.shutdown_background();
    end
}
