//! One process at a time: a lock of the system, which ends with the processes that hold it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::CheckpointError;

/// How long another process is waited for: 400 looks, 25 ms apart.
const LOOKS: usize = 400;
const PAUSE: Duration = Duration::from_millis(25);

/// How much of what a git says is kept.
const SAID_BYTES: u64 = 4 * 1024;

/// Held until it is dropped and every git that has it as its stderr has ended: one whose starter was killed still moves
/// the branch, and must not do so when somebody else has moved it.
pub(crate) struct Lock(File);

impl Lock {
    pub(crate) fn take(folder: &Path) -> Result<Self, CheckpointError> {
        let failed = |source| CheckpointError::State { path: folder.to_path_buf(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(folder.join("lock")).map_err(failed)?;
        for _ in 0..LOOKS {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(CheckpointError::Busy { path: folder.to_path_buf() })
    }

    /// The lock as a place for words: the process that has it holds it.
    pub(crate) fn share(&self) -> io::Result<Stdio> {
        self.0.set_len(0)?;
        (&self.0).seek(SeekFrom::Start(0))?;
        self.0.try_clone().map(Stdio::from)
    }

    /// What was said there.
    pub(crate) fn said(&self) -> String {
        let mut words = Vec::new();
        let read = (&self.0)
            .seek(SeekFrom::Start(0))
            .and_then(|_| (&self.0).take(SAID_BYTES).read_to_end(&mut words));
        // Where nothing can be read, nothing is told.
        drop(read);
        String::from_utf8_lossy(&words).trim().to_owned()
    }
}
