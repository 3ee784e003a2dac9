//! Refused files in the folder of approvals.

use std::fmt;

/// A refused file in the folder of approvals.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedFile {
    /// The name of the file.
    pub file: String,
    /// The reason of the refusal.
    pub reason: RefusedFileReason,
    /// The new name in the folder `refused`; `None` if the file could not be moved.
    pub moved_to: Option<String>,
}

/// The reason why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedFileReason {
    /// No request has this id.
    #[error("no open question has this id")]
    NotAsked,
    /// The request was answered, timed out or was withdrawn before.
    #[error("the question has ended; the answer came too late")]
    Late,
    /// The id in the file differs from the id in its name.
    #[error("the question id in the file differs from the id in its name")]
    WrongQuestion,
    /// The digest in the file differs from the digest of the request.
    #[error(
        "its digest differs from the question's digest, so the displayed call is not the call that would run"
    )]
    WrongDigest,
    /// The file does not have the format that the README describes.
    #[error("it is not a valid answer: {0}")]
    Malformed(String),
    /// The file is larger than 64 KiB.
    #[error("it exceeds the size limit of an answer")]
    TooLarge,
    /// The file is a link, a folder, a pipe or a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// The file belongs to another user.
    #[error("it belongs to another user")]
    NotOurs,
    /// Users other than the owner can write to the file.
    #[error("users other than its owner can write to it")]
    Writable,
    /// The file cannot be read, or the request cannot be written.
    #[error("the operating system returned an error: {0}")]
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
