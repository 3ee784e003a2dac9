//! A program that is its own helper. It runs one command in the current folder, at the best level of
//! confinement that this machine supports.
//!
//! `cargo run -p windlass-tools-shell --example confined -- 'ls -l && id'`
#![expect(clippy::print_stdout, reason = "the example shows the result")]

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use windlass_protocol::{Arguments, CallId, Payload};
use windlass_sandbox::{Helper, Probe, Workspace};
use windlass_tool::{Context, Tool};
use windlass_tools_shell::{RunCommand, Shell};

/// The first argument with which the program starts itself as the helper.
const CONFINE: &str = "__confine";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // This must come before any thread starts, because the kernel refuses namespaces to a process with
    // threads.
    let mut words = std::env::args_os().skip(1).peekable();
    if words.next_if(|word| word == CONFINE).is_some() {
        return Ok(windlass_sandbox::confine_and_exec(words));
    }
    let command = words.next().unwrap_or_else(|| "id".into());
    let helper = Helper::new(std::env::current_exe()?).with_argument(CONFINE);
    let shell = Shell::new_confined(helper.clone(), &Probe::run(&helper));
    let tool = RunCommand::for_workspace(Arc::new(Workspace::open(".")?), shell);
    let given = serde_json::json!({ "command": command.to_string_lossy() });
    let arguments = Arguments::parse(given.to_string())?;
    let ctx = Context::new(CallId::new("call_1")?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let output = runtime.block_on(tool.call(&ctx, &Payload::Function { arguments }))?;
    println!("{output:?}");
    Ok(ExitCode::SUCCESS)
}
