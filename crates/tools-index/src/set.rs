//! All tools of this crate.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::analyze_file::AnalyzeFile;
use crate::detect_language::DetectLanguage;
use crate::extract_symbols::ExtractSymbols;
use crate::get_metrics::GetMetrics;
use crate::indexer::Indexer;
use crate::search_code::SearchCode;
use crate::search_files::SearchFiles;

/// Returns the tools that need no index on disk, for one workspace.
pub fn tools(workspace: &Arc<Workspace>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Indexer::<SearchCode>::new(workspace)),
        Arc::new(Indexer::<SearchFiles>::new(workspace)),
        Arc::new(Indexer::<AnalyzeFile>::new(workspace)),
        Arc::new(Indexer::<ExtractSymbols>::new(workspace)),
        Arc::new(Indexer::<GetMetrics>::new(workspace)),
        Arc::new(Indexer::<DetectLanguage>::new(workspace)),
    ]
}

/// Returns all tools, with the index of `codebase_search` in a folder outside of the workspace.
///
/// # Errors
/// If the folder is inside the workspace.
#[cfg(feature = "search")]
pub fn tools_with(
    workspace: &Arc<Workspace>,
    folder: impl Into<std::path::PathBuf>,
) -> Result<Vec<Arc<dyn Tool>>, crate::IndexError> {
    let search = crate::CodebaseSearch::new(Arc::clone(workspace), folder)?;
    Ok(tools_with_search(workspace, search))
}

/// Returns all tools, with a configured `codebase_search`, for example one with a ranker.
#[cfg(feature = "search")]
pub fn tools_with_search(workspace: &Arc<Workspace>, search: crate::CodebaseSearch) -> Vec<Arc<dyn Tool>> {
    let mut tools = tools(workspace);
    tools.push(Arc::new(search));
    tools
}
