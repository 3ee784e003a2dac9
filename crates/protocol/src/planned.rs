//! Planned contents of files, by which a crashed call can be checked.

use serde::{Deserialize, Serialize};

/// A file's state before a call and the state after it. After a crash, the file itself shows whether the call
/// took effect, so that the call is executed exactly once (RULES R6, SECURITY "Journal").
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "a place and its two states")]
pub struct PlannedFile {
    /// The path, relative to the workspace with `/` as separator and with symbolic links resolved.
    pub path: String,
    /// The SHA-256 digest of the content before the call in hexadecimal digits; `None` if the file does not
    /// exist.
    pub before: Option<String>,
    /// The digest after the call; `None` if the call removes the file.
    pub after: Option<String>,
}

impl PlannedFile {
    /// Creates the plan of one file.
    pub fn new(path: impl Into<String>, before: Option<String>, after: Option<String>) -> Self {
        Self { path: path.into(), before, after }
    }
}

/// The state of a call that had begun when its process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "aftermath", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReconcileOutcome {
    /// The state cannot be determined.
    #[default]
    Unknown,
    /// All files are in the state before the call: it had no effect yet.
    NotBegun,
    /// All files are in the state after the call: it is complete.
    Done,
    /// Some files are in the state after the call and the others in the state before it.
    Partly {
        /// The paths that the call has changed.
        done: Vec<String>,
        /// The paths that the call has not changed yet.
        open: Vec<String>,
    },
    /// Some files are in neither state, or cannot be read: another process may have changed them.
    Changed {
        /// The paths of these files.
        paths: Vec<String>,
    },
}

impl ReconcileOutcome {
    /// Compares the plans with the current files. `now` returns the SHA-256 digest of the file at a path,
    /// `Some(None)` if the file does not exist, and `None` if it cannot be read. Returns `Unknown` if no plan
    /// changes a file.
    ///
    /// ```
    /// use windlass_protocol::{ReconcileOutcome, PlannedFile};
    /// let planned = [PlannedFile::new("a.txt", None, Some("aa".into()))];
    /// assert_eq!(ReconcileOutcome::compare(&planned, |_| Some(None)), ReconcileOutcome::NotBegun);
    /// assert_eq!(ReconcileOutcome::compare(&planned, |_| Some(Some("aa".into()))), ReconcileOutcome::Done);
    /// ```
    pub fn compare(planned: &[PlannedFile], now: impl Fn(&str) -> Option<Option<String>>) -> Self {
        let (mut done, mut open, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        // A file that the plan does not change cannot distinguish the two states.
        for file in planned.iter().filter(|file| file.before != file.after) {
            let state = now(&file.path);
            let list = match state {
                Some(state) if state == file.after => &mut done,
                Some(state) if state == file.before => &mut open,
                _ => &mut changed,
            };
            list.push(file.path.clone());
        }
        match (done.is_empty(), open.is_empty(), changed.is_empty()) {
            (true, true, true) => Self::Unknown,
            (_, _, false) => Self::Changed { paths: changed },
            (true, false, true) => Self::NotBegun,
            (false, true, true) => Self::Done,
            (false, false, true) => Self::Partly { done, open },
        }
    }
}
