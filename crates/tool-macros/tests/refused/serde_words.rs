//! Words of serde that change where a value is read from cannot be followed while it arrives.
use windlass_tool_args::ToolArgs;

#[derive(Debug, ToolArgs)]
struct Skipped {
    #[serde(skip)]
    name: String,
}

#[derive(Debug, ToolArgs)]
struct Own {
    #[serde(deserialize_with = "own")]
    name: String,
}

#[derive(Debug, ToolArgs)]
#[serde(transparent)]
struct Thin {
    name: String,
}

#[derive(Debug, ToolArgs)]
#[serde(rename_all = "Title Case")]
struct Titles {
    name: String,
}

fn main() {}
