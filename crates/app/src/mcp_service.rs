//! The tools and the prompts of a project as an MCP server for other clients.

mod prompts;
mod tools;

pub use self::prompts::ServedPrompts;
pub use self::tools::{ServeOptions, ServedTools};
