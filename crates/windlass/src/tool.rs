//! The trait of a tool, its typed arguments and the macros: `windlass-tool` and `windlass-tool-args` in one
//! module.

pub use windlass_tool::*;
pub use windlass_tool_args::*;
