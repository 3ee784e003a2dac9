//! Options that `#[tool(...)]` refuses.
#![allow(unused)]
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

/// Has no such case.
#[tool(rename_all = "Title Case")]
async fn titled(path: String) {}

/// Shows arguments without a name.
#[tool(on_partial = show)]
async fn shown(path: String) {}

fn main() {}
