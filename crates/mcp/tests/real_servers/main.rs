//! MCP servers that nobody here wrote, where `cargo xtask mcp --install` has put them. A test that lacks its server says so.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "tests fail loudly, start servers, look at what these wrote, and say what is skipped"
)]

mod content;
mod life;
mod listing;
mod place;
