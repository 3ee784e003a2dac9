#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod builder;
mod catalogue;
mod checked;
mod config;
mod group;
mod identity;
mod index;
mod model_rule;
mod name_map;
mod preset;
mod shown_name;
mod toolbox;

mod builtin_modes;
mod work_mode;
mod work_modes;

mod availability;
mod check;
mod clip;
mod early;
mod entry;
mod fence;
mod gate;
mod partial;
mod refusal;
mod rights;
mod route;
mod run;

mod callback;
mod dynamic;
mod remote_tool;

pub use availability::Availability;
pub use builder::{BuildError, ToolboxBuilder};
pub use callback::CallbackTool;
pub use checked::CheckedCall;
pub use clip::OutputLimit;
pub use config::ToolConfig;
pub use dynamic::{DynamicToolError, DynamicTools, Removal};
pub use early::{PartialCheck, PartialRefusal, RefusalCause};
pub use group::ToolGroup;
pub use identity::Identity;
pub use index::CallableTool;
pub use model_rule::ModelRule;
pub use name_map::{NameMap, NameMapError};
pub use partial::PartialCall;
pub use preset::Preset;
pub use remote_tool::ToolVisibility;
pub use route::{PayloadKind, WrongPayload};
pub use toolbox::Toolbox;
pub use work_mode::{FilePattern, PatternError, WorkMode};
pub use work_modes::{ModeError, ModeOwner, UnknownMode, WorkModes};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/ADDING_A_TOOL.md")]
struct AddingATool;
