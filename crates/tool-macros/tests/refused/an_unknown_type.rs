//! A type without a partial form has to be marked as shown when it is whole.
use schemars::JsonSchema;
use serde::Deserialize;
use windlass_tool::ToolArgs;

#[derive(Debug, Deserialize, JsonSchema)]
enum Mode {
    Files,
    Lines,
}

#[derive(Debug, ToolArgs)]
struct Search {
    mode: Mode,
}

fn main() {}
