//! MCP servers of other authors, where `cargo xtask mcp --install` has installed them. A test without its
//! server prints that.
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
