//! Calls that a person makes by hand: the person at the terminal, Ctrl-C, and the result.

use std::sync::Arc;

use serde_json::json;
use windlass_hitl::Decision;
use windlass_protocol::{RawJson, ToolResult};
use windlass_tool::Human;

use crate::output;
use crate::terminal::Terminal;

/// Returns the person at the terminal, who answers questions of tools, if there is a terminal.
pub(crate) fn terminal_human() -> Option<Arc<dyn Human>> {
    Terminal::is_there().then(|| Arc::new(Terminal::new()) as Arc<dyn Human>)
}

/// Waits for Ctrl-C.
pub(crate) async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Prints the result of a call.
pub(crate) fn tell(result: &ToolResult, decision: Option<Decision>, json: bool) -> anyhow::Result<()> {
    if json {
        let decision: Option<RawJson> =
            decision.map(serde_json::to_value).transpose()?.map(|value| RawJson::from(&value));
        output::line(&json!({ "status": result.status, "content": result.content, "decision": decision }))?;
    } else {
        output::print(&format!("{}\n", result.wire_text()))?;
    }
    Ok(())
}
