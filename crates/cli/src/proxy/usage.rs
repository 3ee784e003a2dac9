//! The use of budgets in a file, which outlives the process.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use windlass_gateway::{ClientUsage, FrontHandle};

use super::storage;
use crate::output;

/// Time between two writes.
const INTERVAL: Duration = Duration::from_secs(5);
/// Maximum size of the file.
const MAX_BYTES: u64 = 4 << 20;

/// Reads the use of budgets; a missing file has none.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<ClientUsage>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let failure = || format!("{} cannot be read", path.display());
    let size = std::fs::metadata(path).with_context(failure)?.len();
    anyhow::ensure!(size <= MAX_BYTES, "{} is larger than {MAX_BYTES} bytes", path.display());
    let text = std::fs::read_to_string(path).with_context(failure)?;
    serde_json::from_str(&text).with_context(failure)
}

/// Writes the use of budgets.
pub(super) fn write(path: &Path, usage: &[ClientUsage]) -> anyhow::Result<()> {
    storage::replace(path, &serde_json::to_string_pretty(usage)?)
}

/// Writes the use of budgets whenever it has changed, until the future is dropped.
pub(super) async fn keep(path: &Path, front: &FrontHandle) {
    let mut written = front.current().usage();
    let mut has_failed = false;
    loop {
        tokio::time::sleep(INTERVAL).await;
        let usage = front.current().usage();
        if usage == written {
            continue;
        }
        match write(path, &usage) {
            Ok(()) => written = usage,
            Err(error) if !std::mem::replace(&mut has_failed, true) => {
                output::note(&format!("error: the use of budgets is not stored: {error:#}"));
            }
            Err(_) => {}
        }
    }
}
