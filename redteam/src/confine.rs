//! Processes of cases are confined as the program confines them: the harness is its own helper.

use std::process::ExitCode;
use std::sync::OnceLock;

use windlass_sandbox::{Helper, Probe, confine_and_exec};
use windlass_tools_shell::Shell;

use crate::scene::Scene;
use crate::setup::{Sandbox, Setup};

/// The word by which the harness is a helper.
const WORD: &str = "confine";

/// The shell of a case: the best that this machine has, or none where a setup simulates that.
pub(crate) fn shell(scene: &Scene, setup: &Setup) -> anyhow::Result<Shell> {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    let helper = Helper::new(std::env::current_exe()?).with_argument(WORD);
    let shell = match setup.sandbox {
        Sandbox::Unavailable => Shell::unconfined(),
        Sandbox::Usual | Sandbox::Required => {
            let probe = PROBE.get_or_init(|| Probe::run(&helper));
            Shell::confined(helper, probe)
        }
    };
    Ok(shell.with_never(&scene.policy))
}

/// Does the helper's work if this process was started for it.
pub(crate) fn help() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    (words.next()? == WORD).then(|| confine_and_exec(words))
}
