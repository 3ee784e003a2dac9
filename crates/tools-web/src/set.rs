//! All tools of this crate at once.

use std::sync::Arc;

use windlass_tool::Tool;

use crate::{Fetch, WebFetch};

/// All tools of this crate.
pub fn tools(fetch: &Arc<Fetch>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(WebFetch::new(Arc::clone(fetch)))]
}
