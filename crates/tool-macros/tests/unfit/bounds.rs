//! Types that cannot be arguments, state or a set of tools.
#![allow(unused)]
use std::cell::Cell;

use windlass_tool_args::{State, ToolArgs, ToolSet, tool};

#[derive(Debug, ToolArgs)]
enum Mode {
    Fast,
}

/// Takes an enum as all arguments.
#[tool]
fn flat_enum(#[serde(flatten)] mode: Mode) {}

/// Takes state of one thread.
#[tool]
async fn local(count: State<Cell<u32>>) {}

/// Declares effects with another function.
#[tool(effects = effects_of_text)]
fn other_effects(text: String) {}

fn effects_of_text(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

struct Store;

fn main() {
    let _ = std::sync::Arc::new(Store).tools();
    // The generated code has this line for each argument, beside the derives of serde and schemars.
    windlass_tool_args::derived::assert_argument::<std::thread::Thread>();
}
