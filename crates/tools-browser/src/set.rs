//! The tools of this crate.

use std::sync::Arc;

use windlass_tool::Tool;

use crate::{Browser, BrowserAction};

/// `browser_action` on the Chromium of this machine; nothing where there is none.
pub fn tools() -> Vec<Arc<dyn Tool>> {
    Browser::find().as_ref().map(tools_with).unwrap_or_default()
}

/// `browser_action` on this browser. Each call gives a tool with a browser of its own, which ends with the tool.
pub fn tools_with(browser: &Browser) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(BrowserAction::new(browser.clone()))]
}
