//! All tools of this crate at once.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::{ExecuteCode, RunCommand, Shell};

/// All tools of this crate, on one workspace, with nothing confined: commands say so in every result, and code
/// is refused.
pub fn tools(workspace: &Arc<Workspace>) -> Vec<Arc<dyn Tool>> {
    tools_with(workspace, &Shell::unconfined())
}

/// All tools of this crate, on one workspace, confined as the shell says.
pub fn tools_with(workspace: &Arc<Workspace>, shell: &Shell) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(RunCommand::with(Arc::clone(workspace), shell.clone())),
        Arc::new(ExecuteCode::new(shell.clone())),
    ]
}
