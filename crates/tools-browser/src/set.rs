//! Constructors for the tools of this crate.

use std::sync::Arc;

use windlass_tool::Tool;

use crate::{Browser, BrowserAction};

/// Creates `browser_action` with the Chromium of this machine. Returns an empty list on a machine
/// without Chromium.
pub fn tools() -> Vec<Arc<dyn Tool>> {
    Browser::find().as_ref().map(tools_with).unwrap_or_default()
}

/// Creates `browser_action` with this browser. Each returned tool has its own browser process, which ends
/// with the tool.
pub fn tools_with(browser: &Browser) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(BrowserAction::new(browser.clone()))]
}
