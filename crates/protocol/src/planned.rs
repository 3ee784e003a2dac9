//! What a call would make of files, so that it can be told afterwards whether it did.

use serde::{Deserialize, Serialize};

/// One file as a call finds it and as it would leave it. After a crash the file itself says whether the call was done,
/// so that it is done exactly once (RULES R6, SECURITY "Journal").
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "a place and its two states")]
pub struct PlannedFile {
    /// Where the file is, relative to the workspace with `/` between names, with links followed.
    pub path: String,
    /// The SHA-256 of its bytes before the call, in hexadecimal digits; nothing if no file is there.
    pub before: Option<String>,
    /// The same after the call; nothing if the call removes it.
    pub after: Option<String>,
}

impl PlannedFile {
    /// A file and its two states.
    pub fn new(path: impl Into<String>, before: Option<String>, after: Option<String>) -> Self {
        Self { path: path.into(), before, after }
    }
}

/// What is left of a call that had begun when its program ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "aftermath", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Aftermath {
    /// Nobody can tell.
    #[default]
    Unknown,
    /// Everything is as it was before: the call has done nothing yet.
    NotBegun,
    /// Everything is as the call would leave it: it was done.
    Done,
    /// Some files are as the call would leave them, the others as they were.
    Partly {
        /// Those that it changed.
        done: Vec<String>,
        /// Those that it did not come to.
        open: Vec<String>,
    },
    /// Some files are neither as they were nor as the call would leave them: somebody else was there.
    Changed {
        /// Which.
        paths: Vec<String>,
    },
}

impl Aftermath {
    /// Compares plans with what is there now: `now` gives the SHA-256 of the file at a path, nothing inside if no file
    /// is there, and nothing at all if it cannot be read.
    ///
    /// ```
    /// use windlass_protocol::{Aftermath, PlannedFile};
    /// let planned = [PlannedFile::new("a.txt", None, Some("aa".into()))];
    /// assert_eq!(Aftermath::of(&planned, |_| Some(None)), Aftermath::NotBegun);
    /// assert_eq!(Aftermath::of(&planned, |_| Some(Some("aa".into()))), Aftermath::Done);
    /// ```
    pub fn of(planned: &[PlannedFile], now: impl Fn(&str) -> Option<Option<String>>) -> Self {
        let (mut done, mut open, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        // What a plan leaves as it was tells nothing.
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
