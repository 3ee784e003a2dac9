//! All tools of this crate at once.

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

/// The tools that need no index on disk, on one workspace.
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

/// All tools, with the index of `codebase_search` below a folder outside of the workspace.
///
/// # Errors
/// If the folder lies inside the workspace.
#[cfg(feature = "search")]
pub fn tools_with(
    workspace: &Arc<Workspace>,
    folder: impl Into<std::path::PathBuf>,
) -> Result<Vec<Arc<dyn Tool>>, crate::IndexError> {
    let search = crate::CodebaseSearch::new(Arc::clone(workspace), folder)?;
    Ok(tools_with_search(workspace, search))
}

/// All tools, with a `codebase_search` that may have a ranker.
#[cfg(feature = "search")]
pub fn tools_with_search(workspace: &Arc<Workspace>, search: crate::CodebaseSearch) -> Vec<Arc<dyn Tool>> {
    let mut tools = tools(workspace);
    tools.push(Arc::new(search));
    tools
}
