//! Confinement of tools' processes. This program is its own helper, and probes the machine's level of
//! confinement.

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_sandbox::{Helper, Level, Probe};
use windlass_tools_shell::Shell;

use crate::arguments::SandboxName;
use crate::output;
use crate::own::Own;

/// First argument with which this program starts itself as the helper.
const WORD: &str = "__confine";

/// Runs the helper if this process was started as one; otherwise returns `None`.
pub(crate) fn serve() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    (first == OsStr::new(WORD)).then(|| windlass_sandbox::confine_and_exec(words))
}

/// Returns the helper command, which starts this program.
pub(crate) fn helper() -> anyhow::Result<Helper> {
    let program = std::env::current_exe().context("this program does not know where it lies")?;
    Ok(Helper::new(program).with_argument(WORD))
}

/// Returns a shell with the requested confinement. Fails if `--sandbox required` is given and the machine
/// cannot separate processes.
pub(crate) fn shell(wanted: SandboxName, policy: Option<&Path>) -> anyhow::Result<Shell> {
    let shell = match wanted {
        SandboxName::Off => Shell::new_unconfined(),
        SandboxName::Auto | SandboxName::Required => {
            let helper = helper()?;
            let probe = Probe::run(&helper);
            let best = probe.level.is_apart();
            anyhow::ensure!(
                best || wanted != SandboxName::Required,
                "this machine cannot confine commands as --sandbox required wants: {}",
                missing(&probe)
            );
            Shell::new_confined(helper, &probe)
        }
    };
    Ok(Own::of(policy).hide(shell))
}

/// Prints a note if commands are not fully confined.
pub(crate) fn warn(shell: &Shell) {
    match shell.level() {
        level if level.is_apart() => {}
        Level::None => output::note(
            "commands are not confined: each one can do what you can. `windlass doctor` says what is missing.",
        ),
        level => output::note(&format!(
            "commands are confined by {level} only, which does not protect names inside the folder. `windlass \
             doctor` says what is missing."
        )),
    }
}

/// Returns the reasons why better levels are not available.
pub(crate) fn missing(probe: &Probe) -> String {
    probe.missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
