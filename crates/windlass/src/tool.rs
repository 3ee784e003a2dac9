//! Tools of a program: the macros [`tool`](macro@tool) and [`toolset`], typed arguments, and the trait [`Tool`] below.
//!
//! ```
//! use windlass::prelude::*;
//!
//! /// Adds two integers.
//! #[tool(read_only, internal)]
//! fn add(left: i64, right: i64) -> Result<i64, &'static str> {
//!     left.checked_add(right).ok_or("the sum is too large; take smaller numbers")
//! }
//!
//! let tools = Toolbox::builder().tool(Add).build()?;
//! assert_eq!(tools.tool_specs().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The module joins the crates `windlass-tool` and `windlass-tool-args`.

pub use windlass_tool::*;
pub use windlass_tool_args::*;
