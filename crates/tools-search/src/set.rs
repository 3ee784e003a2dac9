//! All tools of this crate.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::GrepFile;

/// Returns all tools of this crate for one workspace.
pub fn tools(workspace: &Arc<Workspace>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(GrepFile::new(Arc::clone(workspace)))]
}
