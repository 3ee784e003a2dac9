//! The derive's own words.
use windlass_tool_args::ToolArgs;

#[derive(Debug, ToolArgs)]
struct Search {
    #[tool_args(complete)]
    mode: String,
}

#[derive(Debug, ToolArgs)]
#[tool_args(whole)]
struct Other {
    mode: String,
}

#[derive(Debug, ToolArgs)]
struct Flat {
    #[serde(flatten)]
    #[tool_args(whole)]
    other: Other,
}

fn main() {}
