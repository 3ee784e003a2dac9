#![doc = include_str!("../README.md")]

mod builder;
mod toolbox;

mod identity;
mod name_map;
mod shown_name;

mod catalogue;
mod config;
mod group;
mod model_rule;
mod preset;

mod builtin_modes;
mod work_mode;
mod work_modes;

mod entry;
mod fence;
mod gate;
mod rights;
mod route;
mod standing;

mod check;
mod early;
mod partial;

mod clip;
mod run;

mod callback;
mod visitor;

mod dynamic;

pub use builder::{BuildError, ToolboxBuilder};
pub use callback::CallbackTool;
pub use clip::OutputLimit;
pub use config::ToolConfig;
pub use dynamic::{DynamicToolError, DynamicTools, Removal};
pub use early::{Foreseen, Refusal, RefusalCause};
pub use group::ToolGroup;
pub use identity::Identity;
pub use model_rule::ModelRule;
pub use name_map::{NameMap, NameMapError};
pub use partial::PartialCall;
pub use preset::Preset;
pub use route::{PayloadKind, WrongPayload};
pub use standing::Standing;
pub use toolbox::{CallableTool, Checked, Toolbox};
pub use visitor::Offer;
pub use work_mode::{FilePattern, PatternError, WorkMode};
pub use work_modes::{ModeError, ModeOwner, UnknownMode, WorkModes};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/ADDING_A_TOOL.md")]
struct AddingATool;
