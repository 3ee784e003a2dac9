//! The resource limits of a confined child.

/// The resource limits of a confined child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChildLimits {
    /// The maximum length of a file that it writes, in bytes.
    pub file_bytes: u64,
    /// The maximum number of open descriptors.
    pub open_files: u64,
    /// The maximum address space of one process, in bytes. Interpreters reserve much more of it than they
    /// use.
    pub memory_bytes: u64,
    /// The maximum writable memory of one process, in bytes.
    pub data_bytes: u64,
    /// The maximum memory of all its processes together, in bytes. Enforced if
    /// [`Bounds::memory`](crate::Bounds::memory) is true.
    pub tree_memory_bytes: u64,
    /// The maximum number of its processes and threads together. Enforced if
    /// [`Bounds::processes`](crate::Bounds::processes) is true.
    pub processes: u64,
    /// The maximum processor time of one process, in seconds.
    pub cpu_seconds: u64,
}

impl Default for ChildLimits {
    fn default() -> Self {
        Self {
            file_bytes: 4 * 1024 * 1024 * 1024,
            open_files: 4096,
            memory_bytes: 64 * 1024 * 1024 * 1024,
            data_bytes: 8 * 1024 * 1024 * 1024,
            tree_memory_bytes: 8 * 1024 * 1024 * 1024,
            processes: 256,
            cpu_seconds: u64::MAX,
        }
    }
}
