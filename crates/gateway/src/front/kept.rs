//! The records of a server that continue after a restart.

use std::path::Path;

use super::{ClientUsage, Front};
use crate::record_file::{RecordFile, RecordFileError};

impl Front {
    /// Keeps the use of budgets in a file, and continues the use that the file has. Without it, each new process begins all
    /// budgets anew.
    ///
    /// A request is in the file before it is sent, with the amount that it reserves, so a process that is killed has counted it.
    /// A [`FrontHandle`](super::FrontHandle) continues the file when it replaces the endpoints. Rates per minute are not kept.
    ///
    /// # Errors
    /// Another server uses the file, the file is of a later version, or it cannot be read or written.
    pub fn keep_usage(&self, path: impl AsRef<Path>) -> Result<RecordFile, RecordFileError> {
        self.shared.accounts.open(path.as_ref())
    }

    /// Keeps the ids of responses and conversations that upstreams store in a file, and knows the ids that the file has.
    /// Without it, a server with keys of clients answers status 404 to requests about values of an earlier process.
    ///
    /// The file has hashes of the keys of clients, and no content. It has at most 4,096 ids for a client and 65,536 for all.
    ///
    /// # Errors
    /// As for [`keep_usage`](Self::keep_usage).
    pub fn keep_stored_ids(&self, path: impl AsRef<Path>) -> Result<RecordFile, RecordFileError> {
        self.shared.stored_ids.open(path.as_ref())
    }

    /// Sets the use of budgets, from [`usage`](Self::usage) of an earlier process.
    pub fn with_usage(self, usage: &[ClientUsage]) -> Self {
        self.shared.accounts.restore(usage);
        self
    }

    /// Returns the use of the budgets of clients with [`ClientLimits`](super::ClientLimits). The amounts that open requests
    /// reserve are part of it. A server with a store of its own passes it to [`with_usage`](Self::with_usage) of the next
    /// process; [`keep_usage`](Self::keep_usage) keeps it in a file.
    pub fn usage(&self) -> Vec<ClientUsage> {
        self.shared.accounts.usage()
    }
}
