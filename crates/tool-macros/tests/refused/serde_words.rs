//! Words of serde that change where a value is read from cannot be followed while it arrives.
use windlass_tool_args::ToolArgs;

#[derive(Debug, ToolArgs)]
struct Inner {
    name: String,
}

#[derive(Debug, ToolArgs)]
struct Flat {
    #[serde(flatten)]
    inner: Inner,
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
