//! The browser of the user.

use std::process::{Command, Stdio};

/// Opens an address in the browser, as one argument and without a shell (SECURITY "MCP"). Returns false if no
/// program could be started.
pub(crate) fn open(url: &str) -> bool {
    let programs: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "wslview"] };
    programs.iter().any(|program| {
        let mut command = Command::new(program);
        command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        windlass_sandbox::start_child(|| command.spawn()).is_ok()
    })
}
