//! Folders that confined processes can change at the moment.
//!
//! An editor opens files by name, so a process that exchanges a folder for a link could lead the editor out of the
//! workspace. Requests to an editor and processes that can write the same folder therefore exclude each other.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest wait of a new process for the requests to an editor.
const PATIENCE: Duration = Duration::from_secs(30);

static FOLDERS: Folders = Folders { state: Mutex::new(State::new()), freed: Condvar::new() };

struct Folders {
    state: Mutex<State>,
    freed: Condvar,
}

struct State {
    last: u64,
    /// The writable folders of each confined process.
    processes: BTreeMap<u64, Vec<PathBuf>>,
    /// The workspace of each request to an editor.
    requests: BTreeMap<u64, PathBuf>,
}

/// Place of a confined process that can write folders. Dropping it frees the folders.
#[derive(Debug)]
pub(crate) struct ProcessPlace(u64);

/// Place of a request to an editor. Dropping it lets processes start.
#[derive(Debug)]
pub(crate) struct RequestPlace(u64);

impl ProcessPlace {
    /// Waits until no editor works on a file of these folders, and takes them for a process.
    ///
    /// # Errors
    /// If an editor does not answer for a long time.
    pub(crate) fn take(writable: &[PathBuf]) -> io::Result<Self> {
        let is_free = |state: &mut State| !state.requests.values().any(|root| any_overlaps(writable, root));
        let wait = FOLDERS.freed.wait_timeout_while(lock(), PATIENCE, |state| !is_free(state));
        let (mut state, _) = wait.unwrap_or_else(PoisonError::into_inner);
        if !is_free(&mut state) {
            let words = "the editor works on a file of the workspace and does not answer; try again";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, words));
        }
        let id = state.next();
        state.processes.insert(id, writable.to_vec());
        Ok(Self(id))
    }
}

impl RequestPlace {
    /// Takes a workspace for a request to an editor. Returns `None` if a process can change its folders.
    pub(crate) fn take(root: &Path) -> Option<Self> {
        let mut state = lock();
        if state.processes.values().any(|writable| any_overlaps(writable, root)) {
            return None;
        }
        let id = state.next();
        state.requests.insert(id, root.to_path_buf());
        Some(Self(id))
    }
}

impl Drop for ProcessPlace {
    fn drop(&mut self) {
        lock().processes.remove(&self.0);
    }
}

impl Drop for RequestPlace {
    fn drop(&mut self) {
        lock().requests.remove(&self.0);
        FOLDERS.freed.notify_all();
    }
}

impl State {
    const fn new() -> Self {
        Self { last: 0, processes: BTreeMap::new(), requests: BTreeMap::new() }
    }

    fn next(&mut self) -> u64 {
        self.last = self.last.saturating_add(1);
        self.last
    }
}

fn lock() -> MutexGuard<'static, State> {
    // Each change of the state is one insertion or removal, so a poisoned state is still valid.
    FOLDERS.state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn any_overlaps(folders: &[PathBuf], root: &Path) -> bool {
    folders.iter().any(|folder| folder.starts_with(root) || root.starts_with(folder))
}

#[cfg(test)]
mod tests;
