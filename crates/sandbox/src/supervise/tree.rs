//! Limits for all processes of a child together: a control group of its own, if this user may create one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::{Bounds, ChildLimits};

/// The prefix of the groups' names. Later helpers remove the groups of helpers that were killed.
const PREFIX: &str = "windlass-";
/// The number of the helper's own processes.
const OWN: u64 = 2;

/// The control groups that this process has joined. Dropping the value leaves and removes them.
#[derive(Default)]
pub(crate) struct Tree {
    joined: Vec<(PathBuf, File)>,
    pub(crate) bounds: Bounds,
}

impl Tree {
    /// Creates and joins groups with these limits, as far as the machine allows this user.
    pub(crate) fn join(limits: &ChildLimits) -> Self {
        let mut tree = Self::default();
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let (groups, mounts) = (read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
        let processes = limits.processes.saturating_add(OWN).to_string();
        let memory = memory_limit(limits, &read("/proc/meminfo")).to_string();
        let swap = [("memory.memsw.limit_in_bytes", memory.as_str())];
        for line in groups.lines() {
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
            let has = |name: &str| controllers.split(',').any(|controller| controller == name);
            if controllers.is_empty() {
                let Some(own) = folder_of(&mounts, "cgroup2", None, path) else { continue };
                tree.join_unified(&own, &processes, &memory);
            } else if has("pids") {
                let Some(own) = folder_of(&mounts, "cgroup", Some("pids"), path) else { continue };
                tree.bounds.processes |= tree.enter(&own, &own, &[("pids.max", &processes)], &[]);
            } else if has("memory") {
                let Some(own) = folder_of(&mounts, "cgroup", Some("memory"), path) else { continue };
                tree.bounds.memory |= tree.enter(&own, &own, &[("memory.limit_in_bytes", &memory)], &swap);
            }
        }
        tree
    }

    /// Joins a group of the unified hierarchy. A group with processes of its own cannot have child groups
    /// with limits, but its parent may.
    fn join_unified(&mut self, own: &Path, processes: &str, memory: &str) {
        for folder in [Some(own), own.parent()].into_iter().flatten() {
            let given = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
            let has = |name: &str| given.split_whitespace().any(|controller| controller == name);
            let limits: Vec<_> = [("pids", "pids.max", processes), ("memory", "memory.max", memory)]
                .into_iter()
                .filter(|(controller, ..)| has(controller))
                .map(|(_, file, limit)| (file, limit))
                .collect();
            if !limits.is_empty() && self.enter(folder, own, &limits, &[("memory.swap.max", "0")]) {
                self.bounds.processes |= has("pids");
                self.bounds.memory |= has("memory");
                return;
            }
        }
    }

    /// Creates a group in `folder` and joins it. `own` is the group to return to.
    fn enter(&mut self, folder: &Path, own: &Path, limits: &[(&str, &str)], wished: &[(&str, &str)]) -> bool {
        sweep(folder);
        let group = folder.join(format!("{PREFIX}{}", std::process::id()));
        let joined = || -> io::Result<File> {
            // Open it now, while this process still has its user's rights.
            let back = OpenOptions::new().write(true).open(own.join("cgroup.procs"))?;
            fs::create_dir(&group)?;
            for (file, limit) in limits {
                write(&group.join(file), limit)?;
            }
            for (file, limit) in wished {
                // Not every kernel accounts for swap.
                let _ = write(&group.join(file), limit);
            }
            write(&group.join("cgroup.procs"), "0")?;
            Ok(back)
        };
        let back = joined();
        if back.is_err() {
            let _ = fs::remove_dir(&group);
        }
        let entered = back.is_ok();
        self.joined.extend(back.map(|back| (group, back)));
        entered
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        for (group, back) in &mut self.joined {
            // A group that cannot be left is removed when the next child starts.
            let _ = back.write_all(b"0");
            let _ = fs::remove_dir(&group);
        }
    }
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes())
}

/// Removes the groups of helpers that no longer exist. The kernel refuses to remove a group with processes.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        if id.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Returns the requested limit, but at most three quarters of the memory, so that the host keeps some.
fn memory_limit(limits: &ChildLimits, meminfo: &str) -> u64 {
    let kibibytes = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let most = kibibytes.map_or(u64::MAX, |total| total.saturating_mul(1024) / 4 * 3);
    limits.tree_memory_bytes.min(most)
}

/// Returns the path of a group in the file system.
fn folder_of(mounts: &str, kind: &str, controller: Option<&str>, path: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (place, system) = line.split_once(" - ")?;
        let mut system = system.split(' ');
        let found = system.next()? == kind;
        let options = system.nth(1)?;
        if !found || controller.is_some_and(|name| !options.split(',').any(|option| option == name)) {
            return None;
        }
        let mut place = place.split(' ').skip(3);
        let (root, point) = (place.next()?, place.next()?);
        let below = Path::new(path).strip_prefix(root).ok()?;
        Some(Path::new(point).join(below))
    })
}

#[cfg(test)]
mod tests;
