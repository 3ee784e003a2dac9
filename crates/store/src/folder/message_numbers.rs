//! The numbers of a run's messages, which are not used again after a message was removed.

use std::fs::File;
use std::path::Path;

use super::files::{io_error, list_names, write_whole};
use crate::StoreError;

/// The file with the number of the newest message that was removed. Its name begins with a dot, so it is not
/// listed with the messages. A run of an earlier version has no such file.
const LAST: &str = ".last";

/// Returns the number in the name of a message file, `NUMBER-PROCESS.json`.
pub(super) fn message_number(name: &str) -> Option<u64> {
    name.strip_suffix(".json")?.split_once('-')?.0.parse().ok()
}

/// Locks the numbers of an inbox until the returned file is dropped. Two processes must not use the same number.
pub(super) fn lock(inbox: &Path) -> Result<File, StoreError> {
    let lock = File::open(inbox).and_then(|folder| folder.lock().map(|()| folder));
    lock.map_err(|source| io_error(inbox, "locked", source))
}

/// Returns the number of the newest message, also if it was removed. An unreadable file counts as zero.
pub(super) fn read_last(inbox: &Path) -> Result<u64, StoreError> {
    let present = list_names(inbox)?.iter().filter_map(|name| message_number(name)).max().unwrap_or_default();
    Ok(present.max(read_removed(inbox)))
}

/// Stores the number of a message that is about to be removed.
pub(super) fn keep_removed(inbox: &Path, number: u64) -> Result<(), StoreError> {
    if number <= read_removed(inbox) {
        return Ok(());
    }
    write_whole(&inbox.join(LAST), format!("{number}\n").as_bytes())
}

fn read_removed(inbox: &Path) -> u64 {
    std::fs::read_to_string(inbox.join(LAST))
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or_default()
}
