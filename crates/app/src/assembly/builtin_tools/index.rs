//! Tools of the code index.

use std::path::Path;
use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;
use windlass_tools_index::CodebaseSearch;
#[cfg(feature = "web")]
use windlass_tools_index::EmbeddingLimits;

use crate::app::App;
use crate::config::ToolSelection;
use crate::error::Result;

/// Folder of the code index, in the state folder.
const INDEX: &str = "index";

/// Builds the tools of the code index. The ranked search needs a folder for the index outside of the root,
/// and is omitted without one.
pub(crate) fn build(
    app: &App,
    root: &Path,
    workspace: &Arc<Workspace>,
    selection: &ToolSelection,
) -> Result<Vec<Arc<dyn Tool>>> {
    #[cfg(feature = "web")]
    let embedder = crate::providers::build_embedder(&selection.embeddings)?;
    #[cfg(not(feature = "web"))]
    let _ = selection;
    let folder = app.state_file(INDEX).ok();
    let folder = folder.filter(|folder| folder.is_absolute() && !folder.starts_with(root));
    let Some(folder) = folder else { return Ok(windlass_tools_index::tools(workspace)) };
    let search = CodebaseSearch::new(workspace.clone(), folder)?;
    #[cfg(feature = "web")]
    let search = match embedder {
        Some(embedder) => search.with_embedder(embedder, EmbeddingLimits::default()),
        None => search,
    };
    Ok(windlass_tools_index::tools_with_search(workspace, search))
}
