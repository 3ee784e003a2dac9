//! The browser of the user.

use std::process::{Command, Stdio};

use windlass_app::variable;

/// Variables of a machine with a desktop. In the Windows Subsystem for Linux, `wslview` opens the browser of Windows.
const DESKTOP: [&str; 3] = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"];

/// Opens an address in the browser, as one argument and without a shell (SECURITY "MCP"). Returns false if the machine has
/// no desktop, or if no program could be started: without a desktop, an opener would start a browser of the terminal.
pub(crate) fn open(url: &str) -> bool {
    if cfg!(all(unix, not(target_os = "macos"))) && !DESKTOP.iter().any(|name| variable(name).is_some()) {
        return false;
    }
    let programs: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "wslview"] };
    programs.iter().any(|program| {
        let mut command = Command::new(program);
        command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        windlass_sandbox::start_child(|| command.spawn()).is_ok()
    })
}
