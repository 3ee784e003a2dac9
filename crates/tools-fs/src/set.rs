//! All tools of this crate.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::{DeleteFile, ListFiles, ReadFile, WriteFile};

/// Returns all tools of this crate for one workspace.
pub fn tools(workspace: &Arc<Workspace>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(ReadFile::new(Arc::clone(workspace))),
        Arc::new(WriteFile::new(Arc::clone(workspace))),
        Arc::new(WriteFile::create_only(Arc::clone(workspace))),
        Arc::new(ListFiles::new(Arc::clone(workspace))),
        Arc::new(DeleteFile::new(Arc::clone(workspace))),
    ]
}
