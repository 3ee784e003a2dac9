#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "children are started here, with the host's environment filtered"
)]

mod error;
mod folder;
mod path;
mod read;
mod version;
mod windows;
mod workspace;
mod write;

mod confinement;
mod environment;
mod grants;
mod leash;
mod level;
mod plan;
mod probe;
mod scan;
#![expect(clippy::disallowed_methods, reason = "children are started here, their environment filtered")]

#[cfg(target_os = "linux")]
mod confine;
#[cfg(not(target_os = "linux"))]
#[path = "unconfined.rs"]
mod confine;
mod confinement;
mod disk;
mod draft;
mod environment;
mod error;
mod folder;
mod grants;
#[cfg(target_os = "linux")]
mod landlocked;
mod leash;
mod level;
mod name;
#[cfg(target_os = "linux")]
mod namespaces;
mod path;
mod plan;
mod probe;
mod read;
mod remove;
mod scan;
mod stream;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod syscalls;
mod target;
mod version;
mod windows;
mod workspace;
mod write;

pub use confine::{close_memory, confine_and_exec};
pub use confinement::{ChildLimits, Confinement, Gap, Helper};
pub use disk::free_bytes;
pub use environment::ChildEnvironment;
pub use error::{FileError, WorkspaceError};
pub use folder::{Entry, Kind, Listing};
pub use grants::{Granted, Grants, Repository, programs_of};
pub use leash::{Leash, NotConfined};
pub use level::{Level, Missing, Part};
pub use path::{PathError, WorkspacePath};
pub use probe::{Bounds, Probe};
pub use read::{Contents, FileStream, MAX_FILE_BYTES};
pub use version::Version;
pub use windows::WindowsPath;
pub use workspace::{Access, Look, Workspace};
pub use write::{Expected, Found, Written};
