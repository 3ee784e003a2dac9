//! Arguments are an object with known members.
use windlass_tool::ToolArgs;

#[derive(Debug, ToolArgs)]
enum Mode {
    Files,
    Lines,
}

fn main() {}
