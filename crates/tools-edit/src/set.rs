//! All tools of this crate at once.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::{ApplyDiff, ApplyPatch, EditFile};

/// All tools of this crate, on one workspace.
pub fn tools(workspace: &Arc<Workspace>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(EditFile::new(Arc::clone(workspace))),
        Arc::new(ApplyDiff::new(Arc::clone(workspace))),
        Arc::new(ApplyPatch::new(Arc::clone(workspace))),
    ]
}
