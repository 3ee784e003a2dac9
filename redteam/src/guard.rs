//! A limit of processes around a case, so that a flood of them is the case's failure and not the machine's.

use std::fs;
use std::path::{Path, PathBuf};

/// Far above what any case needs, far below what the machine would feel.
const MOST: &str = "512";

/// Puts this process and all that it starts into a control group of its own. Whether that could be done.
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

/// Takes the control group of a process away that has ended.
pub(crate) fn leave(process: u32) {
    if let Some(group) = group(process) {
        drop(fs::remove_dir(group));
    }
}

/// Where the control group of a process would be: below this one's own, in either version of the interface.
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
        // Only where processes are counted.
        let is_counted = base.join("pids.max").exists()
            || fs::read_to_string(base.join("cgroup.controllers")).is_ok_and(|text| text.contains("pids"))
            || controllers.contains("pids");
        is_counted.then(|| base.join(&name))
    })
}
