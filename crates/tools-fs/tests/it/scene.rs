//! A workspace in a folder of its own, and calls on it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tempfile::{TempDir, tempdir};
use windlass_protocol::{Arguments, CallId, Content, Effect, Payload};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Inspection, Output, Tool, ToolError};

pub(crate) struct Scene {
    pub(crate) folder: TempDir,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::create_dir(folder.path().join("outputs")).unwrap();
        let workspace = Workspace::open(folder.path().join("work")).unwrap();
        let workspace = Arc::new(workspace.with_outputs(folder.path().join("outputs")));
        Self { tools: windlass_tools_fs::tools(&workspace), folder }
    }

    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.folder.path().join("work").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.folder.path().join("work").join(path)).unwrap()
    }

    pub(crate) fn tool(&self, name: &str) -> &dyn Tool {
        self.tools.iter().find(|tool| tool.spec().name().as_str() == name).unwrap().as_ref()
    }

    pub(crate) fn output(&self, name: &str, arguments: &Value) -> Result<Output, ToolError> {
        let ctx = Context::new(CallId::new("call_1").unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.tool(name).call(&ctx, &payload(arguments)))
    }

    /// Returns the text of the result or of the error.
    pub(crate) fn call(&self, name: &str, arguments: &Value) -> Result<String, String> {
        match self.output(name, arguments) {
            Ok(output) => match output.content.first() {
                Some(Content::Text { text }) => Ok(text.clone()),
                other => panic!("{other:?}"),
            },
            Err(ToolError::Model(text)) => Err(text.wire_text()),
            Err(other) => panic!("{other}"),
        }
    }

    pub(crate) fn inspect(&self, name: &str, arguments: &Value) -> Inspection {
        self.tool(name).inspect(&payload(arguments))
    }

    /// A path on the disk.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("work").join(path)
    }

    pub(crate) fn effects(&self, name: &str, arguments: &Value) -> Vec<Effect> {
        self.tool(name).effects(&payload(arguments))
    }
}

pub(crate) fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}
