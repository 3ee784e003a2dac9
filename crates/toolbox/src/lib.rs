#![doc = include_str!("../README.md")]

mod builder;
mod check;
mod clip;
mod early;
mod names;
mod partial;
mod preset;
mod run;
mod toolbox;

pub use builder::{BuildError, ToolboxBuilder};
pub use clip::OutputLimit;
pub use early::{Foreseen, Refusal};
pub use partial::PartialCall;
pub use preset::{Preset, ToolConfig};
pub use toolbox::{Checked, Toolbox};
