//! Confines the processes of cases like the program does. The harness is its own helper.

use std::process::ExitCode;
use std::sync::OnceLock;

use windlass_sandbox::{Helper, Probe, confine_and_exec};
use windlass_tools_shell::Shell;

use crate::scene::Scene;
use crate::setup::{Sandbox, Setup};

/// The subcommand that makes the harness a helper.
const WORD: &str = "confine";

/// Returns the shell of a case: with the best confinement of this machine, or without one if the setup
/// simulates that.
pub(crate) fn shell(scene: &Scene, setup: &Setup) -> anyhow::Result<Shell> {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    let helper = Helper::new(std::env::current_exe()?).with_argument(WORD);
    let shell = match setup.sandbox {
        Sandbox::Unavailable => Shell::new_unconfined(),
        Sandbox::Usual | Sandbox::Required => {
            let probe = PROBE.get_or_init(|| Probe::run(&helper));
            Shell::new_confined(helper, probe)
        }
    };
    Ok(shell.with_never(&scene.policy))
}

/// Runs as the helper if this process was started as one.
pub(crate) fn help() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    (words.next()? == WORD).then(|| confine_and_exec(words))
}
