#![doc = include_str!("../README.md")]

mod builder;
mod toolbox;

mod identity;
mod name_map;
mod shown_name;

mod preset;

mod check;
mod early;
mod partial;

mod clip;
mod run;

pub use builder::{BuildError, ToolboxBuilder};
pub use clip::OutputLimit;
pub use early::{Foreseen, Refusal};
pub use identity::Identity;
pub use name_map::{NameMap, NameMapError};
pub use partial::PartialCall;
pub use preset::{Preset, ToolConfig};
pub use toolbox::{Checked, Toolbox};
