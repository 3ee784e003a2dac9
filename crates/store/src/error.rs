//! The error of the crate.

use std::io;
use std::path::PathBuf;

use windlass_journal::JournalError;

/// The reason that a store refused or failed an operation. The texts never contain a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The id of a new run is in use.
    #[error("run {run} exists already")]
    Exists {
        /// The id of the run.
        run: String,
    },
    /// The run does not exist in this store.
    #[error("run {run} does not exist in {store}")]
    NotFound {
        /// The id of the run.
        run: String,
        /// The store, without a password.
        store: String,
    },
    /// Another process has a valid lease on the run.
    #[error("run {run} is in use by another process")]
    Busy {
        /// The id of the run.
        run: String,
    },
    /// Another process has taken the run over, so the store refused the write.
    #[error("run {run} was taken over by another process; this process owned it under number {fence}")]
    LeaseLost {
        /// The id of the run.
        run: String,
        /// The fencing number of the lost lease.
        fence: u64,
    },
    /// A name is empty, too long, or contains a character that a store cannot represent.
    #[error("{name:?} is not a name that a store accepts")]
    Name {
        /// The refused name.
        name: String,
    },
    /// The address of a store cannot be used.
    #[error("the address of the store {reason}")]
    Address {
        /// The reason, without the address, which can contain a password.
        reason: String,
    },
    /// The library was built without the cargo feature for this kind of store.
    #[error("this build lacks the feature `{feature}`, which stores in {what} need")]
    MissingFeature {
        /// The name of the cargo feature.
        feature: &'static str,
        /// The name of the database.
        what: &'static str,
    },
    /// An operation on a file failed.
    #[error("{} cannot be {doing}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The failed operation as a participle: `read`, `written`.
        doing: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A stored value is not JSON, or does not match its hash.
    #[error("{what} of run {run} is damaged in the store")]
    Damaged {
        /// The id of the run.
        run: String,
        /// The damaged value.
        what: &'static str,
    },
    /// The database failed. The text never contains a password.
    #[error("the store cannot {doing}: {reason}")]
    Database {
        /// The failed operation as a verb: `append a record`.
        doing: &'static str,
        /// The error of the database in words.
        reason: String,
    },
}

impl From<StoreError> for JournalError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Journal(error) => error,
            StoreError::LeaseLost { run, fence } => Self::LeaseLost { run, fence },
            error => Self::Store { source: Box::new(error) },
        }
    }
}
