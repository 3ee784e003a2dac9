//! A tool returns what a model can read.
#![allow(unused)]
use windlass_tool_args::tool;

struct Opaque;

/// Returns a value that has no JSON.
#[tool]
async fn value() -> Opaque {
    Opaque
}

/// Returns an error that is none.
#[tool]
async fn error() -> Result<String, Opaque> {
    Err(Opaque)
}

fn main() {}
