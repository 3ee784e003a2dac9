//! A program that is its own helper: it serves the processes of a folder of tools, as confined as this machine can or at
//! a level that is named, and calls one tool.
//!
//! `cargo run -p windlass-tools-dynamic --example serve -- TOOLS WORKSPACE NAME ARGUMENTS [a|b|c]`
#![expect(clippy::print_stdout, reason = "the example shows the result")]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use windlass_protocol::{Arguments, CallId, ToolCall, ToolName};
use windlass_sandbox::{Helper, Level, Probe, Workspace};
use windlass_tool::Context;
use windlass_toolbox::{DynamicTools, Toolbox};
use windlass_tools_dynamic::{FolderOwner, load};
use windlass_tools_shell::Shell;

/// The first argument by which the program starts itself to confine a process.
const CONFINE: &str = "__confine";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Before anything starts a thread: namespaces are refused to a process that has some.
    let mut words = std::env::args_os().skip(1).peekable();
    if words.next_if(|word| word == CONFINE).is_some() {
        return Ok(windlass_sandbox::confine_and_exec(words));
    }
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let [tools, workspace, name, arguments, level @ ..] = words.as_slice() else {
        return Err("give TOOLS WORKSPACE NAME ARGUMENTS [a|b|c]".into());
    };
    let helper = Helper::new(std::env::current_exe()?).with_argument(CONFINE);
    let probe = match level.first().map(String::as_str) {
        Some("a") => Probe::at(&helper, Level::Namespaces).map_err(|missing| missing.to_string())?,
        Some("b") => Probe::at(&helper, Level::Bubblewrap).map_err(|missing| missing.to_string())?,
        Some("c") => Probe::at(&helper, Level::Landlock).map_err(|missing| missing.to_string())?,
        _ => Probe::run(&helper),
    };
    let shell = Shell::new_confined(helper, &probe);
    let workspace = Arc::new(Workspace::open(workspace)?);
    let loaded = load(Path::new(tools), FolderOwner::User, &workspace, &shell)?;
    let call = ToolCall::function(CallId::new("call_1")?, ToolName::new(name)?, Arguments::parse(arguments)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let dynamic = DynamicTools::default();
        let toolbox = Toolbox::builder().dynamic(dynamic.clone()).build()?;
        let mut all = Vec::new();
        for process in loaded.processes {
            all.push(process.serve(&dynamic).await?);
        }
        let toolbox = toolbox.refresh();
        let result = match toolbox.check(&call) {
            Ok(checked) => toolbox.run(&checked, &Context::new(call.id.clone())).await?,
            Err(refused) => *refused,
        };
        println!("{}", result.wire_text());
        for served in all {
            served.end().await;
        }
        Ok(ExitCode::SUCCESS)
    })
}
