//! Members have names.
use windlass_tool::ToolArgs;

#[derive(Debug, ToolArgs)]
struct Pair(String, String);

fn main() {}
