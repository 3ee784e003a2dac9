//! One process at a time: a lock of the system, which ends with the process that holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use crate::CheckpointError;

/// How long another process is waited for: 400 looks, 25 ms apart.
const LOOKS: usize = 400;
const PAUSE: Duration = Duration::from_millis(25);

/// Held until it is dropped. The file itself stays and says nothing.
pub(crate) struct Lock(#[expect(dead_code, reason = "the lock is the open file's")] File);

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
}
