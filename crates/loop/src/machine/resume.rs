//! The resumption of a run from its record.

use super::Machine;
use crate::core::Core;
use crate::phase::Phase;
use crate::{Config, Effect, Entry, ResumeError};

impl Machine {
    /// Resumes a run from its record, in this process or another. Returns the machine and the first effects
    /// to execute.
    ///
    /// A call with a recorded result never runs again. For a call that started and has no result, the
    /// following applies (RULES R6):
    /// - A read-only call, a completion or a resumable call is judged and runs again.
    /// - A call whose only effect is a recorded plan to change files is compared with the files; a call that
    ///   changed nothing is judged again.
    /// - Every other call gets the result `effects_unknown`.
    ///
    /// A call that did not start is judged again. A recorded approval still counts if the new approval
    /// request has the same digest. A call that continues outside the process is collected with
    /// [`Effect::Collect`].
    ///
    /// # Errors
    /// Returns an error if the record does not belong to a run, has a later version or contradicts itself, or
    /// if the run is completed.
    pub fn resume(
        config: Config,
        entries: impl IntoIterator<Item = Entry>,
        now_ms: u64,
    ) -> Result<(Self, Vec<Effect>), ResumeError> {
        let mut effects = Vec::new();
        let (mut core, restored) = Core::restore(config, entries, now_ms)?;
        let phase = Phase::resume(&mut core, restored);
        core.end_step(&mut effects);
        Ok((Self { core, phase }, effects))
    }
}
