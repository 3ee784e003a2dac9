#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "children are started here, their environment filtered")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod confinement;
mod disk;
mod environment;
mod error;
mod folder;
mod grants;
mod guarded;
mod leash;
mod level;
mod limits;
mod new_files;
mod path;
mod plan;
mod probe;
mod read;
mod scan;
mod signals;
mod version;
mod windows;
mod workspace;
mod write;

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(not(target_os = "linux"))]
#[path = "unconfined.rs"]
mod confine;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod terminal;

pub use confine::{close_memory, confine_and_exec};
pub use confinement::{Confinement, Gap, Helper};
pub use disk::{free_bytes, free_files};
pub use environment::ChildEnvironment;
pub use error::{FileError, WorkspaceError};
pub use folder::{FolderEntry, Kind, Listing, find_unreadable_rules, has_readable_rules};
pub use grants::{CommandGrants, GrantedConfinement, Repository, programs_of};
pub use guarded::ProtectedSnapshot;
pub use leash::{Leash, NotConfined};
pub use level::{Level, LevelFailure, Part};
pub use limits::ChildLimits;
pub use new_files::NewFiles;
pub use path::{PathError, WorkspacePath};
pub use probe::{Bounds, Probe};
pub use read::{Contents, Descent, FileStream, MAX_FILE_BYTES, SettingsOwner, read_settings, settings_files};
pub use scan::content::contains_key;
pub use signals::start_child;
pub use version::Version;
pub use windows::WindowsPath;
pub use workspace::{Access, EditorFiles, EditorState, Look, Workspace};
pub use write::{ExpectedState, FoundEntry, PathState, Run, WriteResult};
