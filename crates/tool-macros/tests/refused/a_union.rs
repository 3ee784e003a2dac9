//! Arguments are an object with known members.
use windlass_tool_args::ToolArgs;

#[derive(ToolArgs)]
union Number {
    integer: u32,
    real: f32,
}

fn main() {}
