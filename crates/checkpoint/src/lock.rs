//! A file lock for one process at a time, which the system releases when its holders end.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::CheckpointError;

/// Wait for another process: 400 attempts, 25 ms apart.
const LOOKS: usize = 400;
const PAUSE: Duration = Duration::from_millis(25);

/// Maximum number of bytes that are read of an error output.
const SAID_BYTES: u64 = 4 * 1024;

/// Lock that is held until this value is dropped and every git that has the lock file as its stderr has
/// ended. A git whose parent was killed may still move the branch, so it must keep other processes out.
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

    /// Returns the emptied lock file as the stderr of a child process. The child then holds the lock too.
    pub(crate) fn share(&self) -> io::Result<Stdio> {
        self.0.set_len(0)?;
        (&self.0).seek(SeekFrom::Start(0))?;
        self.0.try_clone().map(Stdio::from)
    }

    /// Returns the error output that child processes wrote to the lock file.
    pub(crate) fn read_messages(&self) -> String {
        let mut words = Vec::new();
        let read = (&self.0)
            .seek(SeekFrom::Start(0))
            .and_then(|_| (&self.0).take(SAID_BYTES).read_to_end(&mut words));
        // A read error only costs the error text.
        drop(read);
        String::from_utf8_lossy(&words).trim().to_owned()
    }
}
