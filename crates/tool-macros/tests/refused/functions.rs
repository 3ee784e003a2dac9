//! What a function under `#[tool]` cannot be.
use windlass_tool_args::tool;

#[tool]
async fn silent(path: String) {}

/// Takes a part of somebody's text.
#[tool]
async fn borrowed(path: &str) {}

/// Takes anything.
#[tool]
async fn generic<T: Into<String>>(path: T) {}

/// Takes anything.
#[tool]
async fn opaque(path: impl Into<String>) {}

/// Takes a pair.
#[tool]
async fn pair((left, right): (u32, u32)) {}

/// Has an attribute that nobody reads.
#[tool]
async fn odd(#[cfg(unix)] path: String) {}

struct Disk;

impl Disk {
    /// Has a receiver.
    #[tool]
    async fn read(&self, path: String) {}
}

fn main() {}
