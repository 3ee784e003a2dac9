//! The tools of this crate, by what they need.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;

use crate::{Fetch, GenerateImage, ImageProvider, Tavily, WebExtract, WebFetch, WebSearch, WebSearchAnswer};

/// The tools that need nothing but the web: `web_fetch`.
pub fn tools(fetch: &Arc<Fetch>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(WebFetch::new(Arc::clone(fetch)))]
}

/// The tools of a search service: `web_search`, `web_search_answer` and `web_extract`. Without a key they say so.
pub fn search_tools(tavily: &Tavily) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(WebSearch::new(tavily.clone())),
        Arc::new(WebSearchAnswer::new(tavily.clone())),
        Arc::new(WebExtract::new(tavily.clone())),
    ]
}

/// The tools of a provider that makes pictures: `generate_image`.
pub fn image_tools(workspace: &Arc<Workspace>, provider: &ImageProvider) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(GenerateImage::new(Arc::clone(workspace), provider.clone()))]
}
