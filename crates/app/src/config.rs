//! The settings of a run, the folders of a user, and values that people choose by name.

mod choices;
mod environment;
mod folders;
mod selection;
mod settings;
mod task;
mod wire_format;

pub use self::choices::{Confinement, ToolPreset};
pub use self::environment::variable;
pub use self::folders::Folders;
pub use self::selection::{EmbeddingOptions, ToolSelection};
pub use self::settings::RunSettings;
pub use self::task::Task;
pub(crate) use self::task::to_message;
pub use self::wire_format::WireFormat;
pub use windlass_hitl::Autonomy;

pub use self::folders::resolve_root;

pub(crate) use self::folders::{ADMIN_FOLDER, create_private_folder};
