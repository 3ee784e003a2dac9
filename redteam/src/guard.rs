//! Limits the number of processes of a case, so that a flood of them fails the case and does not disturb the
//! machine.

use std::fs;
use std::path::{Path, PathBuf};

/// The limit is far above the need of any case and far below a load that the machine would notice.
const MOST: &str = "512";

/// Moves this process and its future children into a control group of their own. Returns true on success.
pub(crate) fn enter() -> bool {
    let Some(group) = group(std::process::id()) else { return false };
    let limited = fs::create_dir(&group).is_ok()
        && fs::write(group.join("pids.max"), MOST).is_ok()
        && fs::write(group.join("cgroup.procs"), "0").is_ok();
    if !limited {
        drop(fs::remove_dir(&group));
    }
    limited
}

/// Removes the control group of a process that has ended.
pub(crate) fn leave(process: u32) {
    if let Some(group) = group(process) {
        drop(fs::remove_dir(group));
    }
}

/// Returns the path for a process's control group: below this process's own group, in either version of the
/// interface.
fn group(process: u32) -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mount = Path::new("/sys/fs/cgroup");
    let name = format!("windlass-redteam-{process}");
    own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let base = match controllers {
            "" => mount.to_owned(),
            controllers if controllers.split(',').any(|name| name == "pids") => mount.join("pids"),
            _ => return None,
        };
        let base = base.join(path.trim_start_matches('/'));
        // Use the group only if it counts processes.
        let is_counted = base.join("pids.max").exists()
            || fs::read_to_string(base.join("cgroup.controllers")).is_ok_and(|text| text.contains("pids"))
            || controllers.contains("pids");
        is_counted.then(|| base.join(&name))
    })
}
