//! The type that a tool returns has to be readable for a model.
#![allow(unused)]
use windlass_tool_args::tool;

struct Opaque;

/// Returns a value that has no JSON.
#[tool]
async fn value() -> Opaque {
    Opaque
}

/// Returns an error of a type that does not implement `Error`.
#[tool]
async fn error() -> Result<String, Opaque> {
    Err(Opaque)
}

fn main() {}
