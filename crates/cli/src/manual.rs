//! Calls that a person makes by hand: the person at the terminal, Ctrl-C, and the result.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use windlass_hitl::Decision;
use windlass_protocol::{RawJson, ToolResult};
use windlass_tool::Human;

use crate::output;
use crate::run::INTERRUPTED;
use crate::terminal::Terminal;

/// Returns the person at the terminal, who answers questions of tools, if there is a terminal.
pub(crate) fn terminal_human() -> Option<Arc<dyn Human>> {
    Terminal::is_there().then(|| Arc::new(Terminal::new()) as Arc<dyn Human>)
}

/// Ctrl-C while a call runs.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    has_come: AtomicBool,
}

impl Interrupt {
    /// Waits for Ctrl-C.
    pub(crate) async fn wait(&self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.has_come.store(true, Ordering::Relaxed);
    }

    /// Returns the exit code of a call: `INTERRUPTED` if Ctrl-C ended it, even if it had a part of its result.
    pub(crate) fn exit_code(&self, result: &ToolResult) -> ExitCode {
        if self.has_come.load(Ordering::Relaxed) {
            ExitCode::from(INTERRUPTED)
        } else if result.status.is_ok() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// Prints the result of a call.
pub(crate) fn tell(result: &ToolResult, decision: Option<Decision>, json: bool) -> anyhow::Result<()> {
    if json {
        let decision: Option<RawJson> =
            decision.map(serde_json::to_value).transpose()?.map(|value| RawJson::from(&value));
        let ToolResult { status, content, advice, .. } = result;
        output::line(
            &json!({ "status": status, "content": content, "advice": advice, "decision": decision }),
        )?;
    } else {
        output::print(&format!("{}\n", result.wire_text()))?;
    }
    Ok(())
}
