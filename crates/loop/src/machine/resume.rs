//! The resumption of a run from its record.

use super::Machine;
use crate::core::Core;
use crate::phase::Phase;
use crate::{Command, Config, Entry, ResumeError};

impl Machine {
    /// Resumes a run from its record, in this process or another. Returns the machine and the first commands
    /// to execute.
    ///
    /// A call with a recorded result never runs again. For a call that started and has no result, the
    /// following applies (RULES R6):
    /// - A read-only call, a completion or a resumable call is decided and runs again.
    /// - A call whose only effect is a recorded plan to change files is compared with the files; a call that
    ///   changed nothing is decided again.
    /// - Every other call gets the result `effects_unknown`.
    ///
    /// A call that did not start is decided again. A recorded approval still counts if the new approval
    /// request has the same digest. A call that continues outside the process is collected with
    /// [`Command::Collect`].
    ///
    /// # Errors
    /// Returns an error if the record does not belong to a run, has a later version or contradicts itself, or
    /// if the run is completed.
    pub fn resume(
        config: Config,
        entries: impl IntoIterator<Item = Entry>,
        now_ms: u64,
    ) -> Result<(Self, Vec<Command>), ResumeError> {
        let mut commands = Vec::new();
        let (mut core, restored) = Core::restore(config, entries, now_ms)?;
        let phase = Phase::resume(&mut core, restored);
        core.end_step(&mut commands);
        Ok((Self { core, phase }, commands))
    }
}
