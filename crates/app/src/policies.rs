//! Policy files, the program's protected locations, and learned permissions.

mod files;
mod lessons;
mod offer;
mod owner;
mod protected;

pub use self::files::{PolicyFile, add_policy_file, list_policy_files, load_policy, load_tool_policy};
pub use self::lessons::LessonFile;
pub use self::protected::ProtectedPaths;

pub(crate) use self::offer::OfferingApprover;
pub(crate) use self::owner::check_owner;
