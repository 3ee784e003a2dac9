//! Files in the folder of approvals that are no answers.

use std::fmt;

/// A file in the folder of approvals that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedFile {
    /// Its name.
    pub file: String,
    /// Why.
    pub reason: RefusedFileReason,
    /// The name that it has now in the folder `refused`; nothing if it could not be moved.
    pub moved_to: Option<String>,
}

/// Why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedFileReason {
    /// Nobody asked.
    #[error("there is no such question")]
    NotAsked,
    /// The question was answered before, timed out or was taken back.
    #[error("the question has ended; the answer came too late")]
    Late,
    /// What is written names another question than the file's name.
    #[error("it answers another question than its name says")]
    WrongQuestion,
    /// It was shown something else.
    #[error("its digest is not the question's: what was shown is not what would run")]
    WrongDigest,
    /// It is not what the README says.
    #[error("it is no answer: {0}")]
    Malformed(String),
    /// It is too large.
    #[error("it is larger than an answer can be")]
    TooLarge,
    /// It is a link, a folder, a pipe or a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// It belongs to another user.
    #[error("it belongs to another user")]
    NotOurs,
    /// Others than the user can write it.
    #[error("others than its owner can write it")]
    Writable,
    /// It cannot be read, or the question cannot be written.
    #[error("the system refuses: {0}")]
    System(String),
}

impl fmt::Display for RefusedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is refused: {}", self.file, self.reason)?;
        match &self.moved_to {
            Some(name) => write!(f, " (it is {name:?} in the folder \"refused\" now)"),
            None => Ok(()),
        }
    }
}
