//! Arguments are an object with known members.
use windlass_tool_args::ToolArgs;

#[derive(Debug, ToolArgs)]
enum Mode {
    Files,
    Lines,
}

fn main() {}
