#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod read;

mod growing;

mod unfit;

#[cfg(feature = "typed")]
mod arguments;
#[cfg(feature = "typed")]
mod effects;
#[cfg(feature = "typed")]
mod mismatch;
#[cfg(feature = "typed")]
mod partial;
#[cfg(feature = "typed")]
mod reader;
#[cfg(feature = "typed")]
mod return_value;
#[cfg(feature = "typed")]
mod schema;
#[cfg(feature = "typed")]
mod state;
#[cfg(feature = "typed")]
mod tool_set;
#[cfg(feature = "typed")]
mod typed;

#[cfg(feature = "typed")]
#[doc(hidden)]
pub mod derived;

#[cfg(feature = "typed")]
pub use arguments::ToolArgs;
pub use growing::ReadPartial;
#[cfg(feature = "typed")]
pub use mismatch::{Mismatch, Mismatches};
#[cfg(feature = "typed")]
pub use partial::{Elements, Entries, FirstByteAction, Partial, PartialValue, Whole};
pub use read::read_arguments;
#[cfg(feature = "typed")]
pub use reader::PartialReader;
#[cfg(feature = "typed")]
pub use schema::schema_of;
#[cfg(feature = "typed")]
pub use state::State;
#[cfg(feature = "typed")]
pub use tool_set::ToolSet;
#[cfg(feature = "typed")]
pub use typed::{TypedPartial, ValuePartial};
pub use unfit::ArgumentsUnfit;
pub use windlass_tool::{
    Context, GrowingArguments, Output, Progress, ProgressSink, Tool, ToolError, ToolFuture,
};
#[cfg(feature = "typed")]
pub use windlass_tool_macros::{ToolArgs, tool, toolset};
#[cfg(feature = "typed")]
pub use {schemars, serde};
