//! How much a confined child may use.

/// How much a confined child may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChildLimits {
    /// The longest file that it may write, in bytes.
    pub file_bytes: u64,
    /// How many descriptors it may hold.
    pub open_files: u64,
    /// Address space of one process, in bytes. Interpreters reserve much more of it than they use.
    pub memory_bytes: u64,
    /// Memory that one process may write to, in bytes.
    pub data_bytes: u64,
    /// Memory of all its processes together, in bytes, where [`Bounds::memory`](crate::Bounds::memory) holds.
    pub tree_memory_bytes: u64,
    /// All its processes and threads together, where [`Bounds::processes`](crate::Bounds::processes) holds.
    pub processes: u64,
    /// Processor time of one process, in seconds.
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
