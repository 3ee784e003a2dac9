//! Sets of tools, by their requirements.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::{Fetch, GenerateImage, ImageProvider, Tavily, WebExtract, WebFetch, WebSearch};

/// Returns the tools that need only web access: `web_fetch`.
pub fn tools(fetch: &Arc<Fetch>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(WebFetch::new(Arc::clone(fetch)))]
}

/// Returns the tools of a search service: `web_search`, `web_search_answer` and `web_extract`. Without a key
/// their calls fail and name the missing variable.
pub fn search_tools(tavily: &Tavily) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(WebSearch::new(tavily.clone())),
        Arc::new(WebSearch::with_answer(tavily.clone())),
        Arc::new(WebExtract::new(tavily.clone())),
    ]
}

/// Returns the tools of an image provider: `generate_image`.
pub fn image_tools(workspace: &Arc<Workspace>, provider: &ImageProvider) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(GenerateImage::new(Arc::clone(workspace), provider.clone()))]
}
