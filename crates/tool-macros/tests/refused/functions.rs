//! Functions that `#[tool]` refuses.
#![allow(unused)]
use windlass_tool_args::{State, tool};

#[tool]
async fn silent(path: String) {}

/// Takes a part of somebody's text.
#[tool]
async fn borrowed(path: &str) {}

struct Disk;

/// Takes state as an argument.
#[tool]
async fn borrowed_value(disk: &Disk) {}

/// Takes borrowed state.
#[tool]
async fn borrowed_state(disk: &State<Disk>) {}

/// Takes anything.
#[tool]
async fn generic<T: Into<String>>(path: T) {}

/// Takes anything.
#[tool]
async fn opaque(path: impl Into<String>) {}

/// Takes a pair.
#[tool]
async fn pair((left, right): (u32, u32)) {}

/// Has an attribute without a reader.
#[tool]
async fn odd(#[cfg(unix)] path: String) {}

/// Shows an argument in another way, without a struct that is shown.
#[tool]
async fn whole(#[tool_args(whole)] path: String) {}

/// Has a default without a value.
#[tool]
async fn default(#[tool_args(default)] path: String) {}

impl Disk {
    /// Has a receiver.
    #[tool]
    async fn read(&self, path: String) {}
}

fn main() {}
