//! Members have names.
use windlass_tool_args::ToolArgs;

#[derive(Debug, ToolArgs)]
struct Pair(String, String);

fn main() {}
