//! Tools that fetch, search the web and make images.

use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;
use windlass_tools_web::{Fetch, ImageProvider, ServiceKey, Tavily};

use crate::error::{AppError, ErrorKind, Result};

/// Image service: its address, its model, and the variable with its key.
const IMAGES: (&str, &str, &str) = ("https://api.openai.com/v1", "gpt-image-1", "OPENAI_API_KEY");
/// Variables with the search service's key and with an alternative address.
const SEARCH_KEY: &str = "TAVILY_API_KEY";
const SEARCH_URL: &str = "TAVILY_BASE_URL";

/// Builds the tools. Services without a key give tools that name the missing variable.
pub(crate) fn build(workspace: &Arc<Workspace>) -> Result<Vec<Arc<dyn Tool>>> {
    let fetch = Arc::new(Fetch::new());
    let key = |name| ServiceKey::from_variable(std::env::var(name).ok(), name);
    let mut search = Tavily::new(fetch.clone(), key(SEARCH_KEY));
    if let Ok(base) = std::env::var(SEARCH_URL) {
        search = search.with_base(&base).map_err(|error| {
            let text = format!("{SEARCH_URL} is not a valid address of a search service: {error}");
            AppError::new(ErrorKind::Invalid, text)
        })?;
    }
    let (base, model, variable) = IMAGES;
    let images = ImageProvider::new(fetch.clone(), base, model, key(variable))?;
    let mut tools = windlass_tools_web::tools(&fetch);
    tools.extend(windlass_tools_web::search_tools(&search));
    tools.extend(windlass_tools_web::image_tools(workspace, &images));
    Ok(tools)
}
