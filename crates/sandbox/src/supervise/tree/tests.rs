//! The places of control groups, from the kernel's output.

use super::{folder_of, memory_limit};
use crate::ChildLimits;

const MOUNTS: &str = "\
32 31 0:29 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n\
39 31 0:36 /box /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n\
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

#[track_caller]
fn check(kind: &str, controller: Option<&str>, path: &str, expected: Option<&str>) {
    let met = folder_of(MOUNTS, kind, controller, path);
    assert_eq!(met.as_deref(), expected.map(std::path::Path::new));
}

#[test]
fn a_group_is_found_below_the_mount_of_its_hierarchy() {
    check("cgroup", Some("memory"), "/a/b", Some("/sys/fs/cgroup/memory/a/b"));
    check("cgroup", Some("pids"), "/box/c", Some("/sys/fs/cgroup/pids/c"));
    check("cgroup", Some("pids"), "/elsewhere", None);
    check("cgroup", Some("cpu"), "/", None);
    check("cgroup2", None, "/", Some("/sys/fs/cgroup/unified/"));
}

#[test]
fn the_host_keeps_a_quarter_of_the_memory() {
    let limits = ChildLimits { tree_memory_bytes: 8 << 30, ..ChildLimits::default() };
    assert_eq!(memory_limit(&limits, "MemTotal:       4194304 kB\n"), 3 << 30);
    assert_eq!(memory_limit(&limits, "MemTotal:     104857600 kB\n"), 8 << 30);
    assert_eq!(memory_limit(&limits, "nothing of the kind"), 8 << 30);
}
