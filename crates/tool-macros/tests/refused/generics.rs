//! One tool has one schema.
use windlass_tool_args::ToolArgs;

#[derive(Debug, ToolArgs)]
struct Page<T> {
    items: Vec<T>,
}

fn main() {}
