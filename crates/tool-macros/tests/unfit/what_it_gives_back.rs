//! What a tool gives back has to be an output.
use windlass_tool_args::tool;

/// Gives a number.
#[tool]
async fn number() -> u32 {
    1
}

fn main() {}
