//! Constructor for all tools of this crate.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::{ApplyDiff, ApplyPatch, EditFile};

/// Creates all tools of this crate for one workspace: `edit_file`, `apply_diff` and `apply_patch`.
pub fn tools(workspace: &Arc<Workspace>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(EditFile::new(Arc::clone(workspace))),
        Arc::new(ApplyDiff::new(Arc::clone(workspace))),
        Arc::new(ApplyPatch::new(Arc::clone(workspace))),
    ]
}
