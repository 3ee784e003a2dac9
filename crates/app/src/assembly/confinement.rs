//! Confinement of tools' processes. This program is its own helper, and probes the machine's level of
//! confinement.

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

use windlass_sandbox::{Helper, Level, Probe};
use windlass_tools_shell::Shell;

use crate::app::App;
use crate::config::Confinement;
use crate::error::{Context as _, Result, ensure};
use crate::policies::ProtectedPaths;

/// First argument with which this program starts itself as the helper.
const WORD: &str = "__confine";

/// Runs the confinement helper if this process was started as one; otherwise returns `None`.
///
/// Confined commands are started through this program itself. Call the function at the start of `main`, before
/// the first thread starts: the helper leaves the host's namespaces, which a process with several threads
/// cannot do.
pub fn run_confinement_helper() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    (first == OsStr::new(WORD)).then(|| windlass_sandbox::confine_and_exec(words))
}

/// Returns the helper command, which starts this program.
///
/// # Errors
///
/// Fails if the path of this program is unknown.
pub fn confinement_helper() -> Result<Helper> {
    let program = std::env::current_exe().context("the path of this program's executable is not known")?;
    Ok(Helper::new(program).with_argument(WORD))
}

/// Returns a shell with the requested confinement, which hides the program's own files.
///
/// # Errors
///
/// Fails if confinement is required and the machine cannot separate processes.
pub fn build_shell(app: &App, wanted: Confinement, policy: Option<&Path>) -> Result<Shell> {
    let shell = match wanted {
        Confinement::Off => Shell::new_unconfined(),
        Confinement::Auto | Confinement::Required => {
            let helper = confinement_helper()?;
            let probe = Probe::run(&helper);
            let best = probe.level.is_apart();
            ensure!(
                best || wanted != Confinement::Required,
                Unavailable,
                "confinement is required, and this machine cannot confine commands: {}",
                missing(&probe)
            );
            Shell::new_confined(helper, &probe)
        }
    };
    Ok(ProtectedPaths::new(app, policy).hide(shell))
}

/// Sends a notice if commands are not fully confined.
pub fn warn_about_confinement(app: &App, shell: &Shell) {
    match shell.level() {
        level if level.is_apart() => {}
        Level::None => app.inform(
            "commands are not confined: each one can do what you can. `windlass doctor` says what is missing.",
        ),
        level => app.inform(format!(
            "commands are confined by {level} only, which does not protect names inside the folder. `windlass \
             doctor` says what is missing."
        )),
    }
}

/// Returns the reasons why better levels are not available.
fn missing(probe: &Probe) -> String {
    probe.missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
