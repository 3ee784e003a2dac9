//! Trust of the user in folders: only in a trusted folder do a project's files become instructions or programs.

mod files;
mod folders;

pub use self::files::{FileChange, ProjectFile, ProjectFileKind, list_project_files};
pub use self::folders::{TrustedFolders, trust_folder, withdraw_trust};

pub(crate) use self::files::{INSTRUCTION_NAMES, SKILL_FOLDERS};
pub(crate) use self::folders::{find_top, store_digests};
