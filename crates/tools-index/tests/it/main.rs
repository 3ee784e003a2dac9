//! The tools on real files.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests build files from outside, and fail loudly"
)]

#[cfg(feature = "search")]
mod embeddings;
mod files;
mod gate;
mod hostile;
#[cfg(feature = "search")]
mod killed;
#[cfg(all(unix, feature = "search"))]
mod other_user;
#[cfg(feature = "search")]
mod search;
mod symbols;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tempfile::{TempDir, tempdir};
use tokio::runtime::Builder;
use windlass_protocol::{Arguments, CallId, Content, Payload};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Tool, ToolError};

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), content).unwrap();
    }
}

fn scene(files: &[(&str, &str)]) -> (TempDir, Arc<Workspace>) {
    let folder = tempdir().unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    write(&work, files);
    let workspace = Workspace::open(&work).unwrap();
    (folder, Arc::new(workspace))
}

fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

fn call_tool(tool: &dyn Tool, arguments: &Value) -> Result<String, String> {
    call_in(&Context::new(CallId::new("call_1").unwrap()), tool, arguments)
}

fn call_in(ctx: &Context, tool: &dyn Tool, arguments: &Value) -> Result<String, String> {
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    match runtime.block_on(tool.call(ctx, &payload(arguments))) {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => Ok(text.clone()),
            other => panic!("{other:?}"),
        },
        Err(ToolError::Model(text)) => Err(text.wire_text()),
        Err(other) => panic!("{other}"),
    }
}

fn tool(workspace: &Arc<Workspace>, name: &str) -> Arc<dyn Tool> {
    let mut tools = windlass_tools_index::tools(workspace).into_iter();
    tools.find(|tool| tool.spec().name().as_str() == name).unwrap()
}

fn call(workspace: &Arc<Workspace>, name: &str, arguments: &Value) -> Result<String, String> {
    call_tool(&*tool(workspace, name), arguments)
}
