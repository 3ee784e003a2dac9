//! The command line `windlass`: run an agent, and take apart everything that the crates do.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is where the program meets its user's machine"
)]

#[path = "../../app/src/agents/definitions.rs"]
mod agents;
#[path = "../../app/src/runs/answers.rs"]
mod answers;
mod approvals;
mod arguments;
#[path = "../../app/src/assembly/agent.rs"]
mod assembly;
#[path = "../../app/src/storage/bounded.rs"]
mod bounded;
#[path = "../../app/src/assembly/manual_call.rs"]
mod by_hand;
mod check;
#[path = "../../app/src/runs/checkpoints.rs"]
mod checkpoints;
#[path = "../../app/src/error/causes.rs"]
mod complaint;
#[path = "../../app/src/assembly/confinement.rs"]
mod confine;
mod demo;
mod doctor;
mod drive;
#[path = "../../app/src/providers/embeddings.rs"]
mod embeddings;
mod encode;
mod fork;
mod input;
mod json;
#[path = "../../app/src/storage/state_file.rs"]
mod kept_file;
#[path = "../../app/src/policies/lessons.rs"]
mod lessons;
mod mcp;
mod mock;
mod models;
mod modes;
#[path = "../../app/src/agents/child_runs.rs"]
mod nested;
mod output;
#[path = "../../app/src/policies/protected.rs"]
mod own;
#[path = "../../app/src/assembly/builtin_tools.rs"]
mod own_tools;
mod panics;
mod parse;
#[path = "../../app/src/policies/files.rs"]
mod policies;
mod policy;
mod project;
#[path = "../../app/src/providers/provider.rs"]
mod provider;
mod proxy;
#[path = "../../app/src/providers/access.rs"]
mod reach;
mod restore;
mod run;
#[path = "../../app/src/runs/folder.rs"]
mod runs;
mod say;
mod screen;
#[path = "../../app/src/secrets.rs"]
mod secrets;
#[path = "../../app/src/assembly/toolbox.rs"]
mod setup;
mod show;
mod signals;
#[path = "../../app/src/runs/recording.rs"]
mod tape;
mod terminal;
mod text;
mod tool;
mod traces;
mod usage;
#[path = "../../app/src/providers/wires.rs"]
mod wires;
mod workflow;

use std::process::ExitCode;

use crate::arguments::Command;

fn main() -> ExitCode {
    // Must run before the first thread starts: the helper leaves the host's namespaces, which a process with
    // several threads cannot do.
    if let Some(code) = confine::serve() {
        return code;
    }
    // This process's memory contains keys, so other processes of the user must not read it.
    if let Err(error) = windlass_sandbox::close_memory() {
        output::note(&format!("other processes of yours can look into the memory of this one: {error}"));
    }
    panics::install();
    match dispatch(arguments::parse().command) {
        Ok(code) => code,
        // A reader that closed the output early, such as `head`, is not an error.
        Err(error) if output::is_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Demo(arguments) => block_on(demo::demo(arguments)),
        Command::Run(arguments) => block_on(run::run(*arguments)),
        Command::Fork(arguments) => block_on(fork::fork(arguments)),
        Command::Approvals(arguments) => approvals::approvals(&arguments),
        Command::Say(arguments) => say::say(&arguments),
        Command::Diff(arguments) => restore::diff(&arguments),
        Command::Restore(arguments) => restore::restore(&arguments),
        Command::Parse(arguments) => parse::parse(&arguments),
        Command::Json(arguments) => json::json(&arguments),
        Command::Encode(arguments) => encode::encode(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Tool(arguments) => block_on(tool::tool(arguments)),
        Command::Mcp(arguments) => block_on(mcp::mcp(arguments)),
        Command::Modes(arguments) => modes::modes(&arguments),
        Command::Workflow(arguments) => block_on(workflow::workflow(arguments)),
        Command::Policy(arguments) => policy::policy(arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Models(arguments) => block_on(models::models(arguments)),
        Command::Proxy(arguments) => block_on(proxy::proxy(arguments)),
        Command::Mock(arguments) => block_on(mock::mock(arguments)),
    }
}

fn block_on(work: impl Future<Output = anyhow::Result<ExitCode>>) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let end = runtime.block_on(work);
    // A thread that waits for a key press must not delay the exit.
    runtime.shutdown_background();
    end
}
