//! Constructors for the complete set of this crate's tools.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::{
    EndProcess, ExecuteCode, ListSessions, Processes, ReadCommandOutput, ReadSession, RunCommand,
    RunInTerminal, SendInput, Shell,
};

/// Creates all tools of this crate for one workspace, without confinement. Every result of a command reports
/// this, and code is refused.
pub fn tools(workspace: &Arc<Workspace>) -> Vec<Arc<dyn Tool>> {
    tools_with(workspace, &Shell::new_unconfined())
}

/// Creates all tools of this crate for one workspace, with the confinement of the shell. Processes that
/// outlive their call end when the tools are dropped.
pub fn tools_with(workspace: &Arc<Workspace>, shell: &Shell) -> Vec<Arc<dyn Tool>> {
    tools_of(workspace, shell, &Processes::default())
}

/// Creates all tools of this crate with a set of processes that the caller can count, limit and end.
pub fn tools_of(workspace: &Arc<Workspace>, shell: &Shell, processes: &Processes) -> Vec<Arc<dyn Tool>> {
    let (workspace, shell, processes) = (|| Arc::clone(workspace), || shell.clone(), || processes.clone());
    vec![
        Arc::new(RunCommand::with_processes(workspace(), shell(), processes())),
        Arc::new(ReadCommandOutput::new(workspace(), processes())),
        Arc::new(EndProcess::kill_command(processes())),
        Arc::new(RunInTerminal::exec_command(workspace(), shell(), processes())),
        Arc::new(SendInput::write_stdin(processes())),
        Arc::new(RunInTerminal::run_pty_cmd(workspace(), shell(), processes())),
        Arc::new(RunInTerminal::create_pty_session(workspace(), shell(), processes())),
        Arc::new(SendInput::send_pty_input(processes())),
        Arc::new(ReadSession::new(processes())),
        Arc::new(EndProcess::close_pty_session(processes())),
        Arc::new(ListSessions::new(processes())),
        Arc::new(ExecuteCode::new(shell())),
    ]
}
