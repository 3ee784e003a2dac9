//! What stands in the brackets.
use windlass_tool_args::tool;

/// Is misspelt.
#[tool(readonly)]
async fn misspelt() {}

/// Has no such risk.
#[tool(risk = "huge")]
async fn risky() {}

/// Has no such name.
#[tool(name = "a tool")]
async fn named() {}

/// Has effects and has none.
#[tool(internal, effects = none)]
async fn both() {}

fn main() {}
