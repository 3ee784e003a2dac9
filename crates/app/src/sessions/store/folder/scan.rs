//! The search for runs without a session in a folder of runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::Result;
use crate::storage::{bounded, write_whole};

/// Name of the file with the state of the folder of runs that was searched.
const FILE: &str = "runs.seen";

/// Maximum size in bytes of the file.
const MAX_BYTES: u64 = 64;

/// Time after which a folder cannot get another entry with the same modification time.
const TICK: Duration = Duration::from_secs(2);

/// Time for which a run without records may still become one, in seconds.
const START_SECONDS: u64 = 60 * 60;

/// State of the search. A folder whose modification time did not change since all of its runs were known is not read.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The modification time at which all runs were known.
    seen: Option<Duration>,
    /// Runs that are not sessions, for example of workflows.
    skipped: BTreeSet<String>,
}

impl Scan {
    /// Notes that a run is not a session. A run that started recently is looked at again.
    pub(super) fn skip(&mut self, run: &str) {
        let started = run.split('-').next().and_then(|seconds| seconds.parse::<u64>().ok());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        if started.is_none_or(|started| started.saturating_add(START_SECONDS) < now) {
            self.skipped.insert(run.to_owned());
        }
    }

    /// Returns the runs that `select` finds and that were not skipped. Calls it only if the folder of runs changed.
    pub(super) fn find_unknown(
        &mut self,
        runs: &Path,
        state: &Path,
        has_sessions: bool,
        select: impl FnOnce() -> Result<Vec<String>>,
    ) -> Result<Vec<String>> {
        // A missing folder has no runs.
        let Ok(modified) = fs::metadata(runs).and_then(|data| data.modified()) else { return Ok(Vec::new()) };
        let stamp = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        if self.seen.is_none() && has_sessions {
            self.seen = read(&state.join(FILE));
        }
        if has_sessions && self.seen == Some(stamp) {
            return Ok(Vec::new());
        }
        let mut unknown = select()?;
        unknown.retain(|run| !self.skipped.contains(run));
        let is_old = modified.elapsed().is_ok_and(|age| age > TICK);
        if unknown.is_empty() && is_old {
            self.seen = Some(stamp);
            // A reader that may not write here searches again next time.
            drop(write_whole(&state.join(FILE), stamp.as_nanos().to_string().as_bytes(), 0o600));
        }
        Ok(unknown)
    }
}

fn read(path: &Path) -> Option<Duration> {
    let text = String::from_utf8(bounded::read(path, MAX_BYTES).ok()?).ok()?;
    text.trim().parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    use super::Scan;

    #[test]
    fn a_folder_of_runs_is_read_again_only_after_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let (runs, state) = (folder.path().join("runs"), folder.path().join("state"));
        std::fs::create_dir_all(&runs).unwrap();
        let set_age = |seconds: u64| {
            let time = SystemTime::now() - Duration::from_secs(seconds);
            File::open(&runs).unwrap().set_modified(time).unwrap();
        };
        let mut scan = Scan::default();
        let find = |scan: &mut Scan, found: &[&str]| {
            let mut count = 0;
            let unknown = scan.find_unknown(&runs, &state, true, || {
                count += 1;
                Ok(found.iter().map(|run| (*run).to_owned()).collect())
            });
            (unknown.unwrap().len(), count)
        };
        assert_eq!(find(&mut scan, &["1-a"]), (1, 1));
        scan.skip("1-a");
        assert_eq!(find(&mut scan, &["1-a"]), (0, 1));
        assert_eq!(find(&mut scan, &["1-a"]), (0, 1), "the folder changed a moment ago");
        set_age(90);
        assert_eq!(find(&mut scan, &["1-a"]), (0, 1));
        assert_eq!(find(&mut scan, &["1-a"]), (0, 0));
        assert_eq!(find(&mut Scan::default(), &["2-b"]), (0, 0), "another process reads the state");
        set_age(60);
        assert_eq!(find(&mut scan, &["2-b"]), (1, 1));
        assert_eq!(find(&mut scan, &["2-b"]), (1, 1), "an unknown run is found until it is known");
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        scan.skip(&format!("{now}-a"));
        assert_eq!(find(&mut scan, &[&format!("{now}-a")]), (1, 1), "a run that starts is looked at again");
    }
}
