//! A workspace in a folder of its own, beside a file that nothing may reach, and patches on it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use windlass_protocol::{Arguments, CallId, Content, Effect, Payload};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Inspection, Tool, ToolError};
use windlass_tools_edit::{ApplyPatch, tools};

pub(crate) struct Scene {
    pub(crate) folder: TempDir,
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) tool: ApplyPatch,
}

/// Every file below a folder with its bytes, and every folder with none.
pub(crate) type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

impl Scene {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        let workspace = Arc::new(Workspace::open(folder.path().join("work")).unwrap());
        let tool = ApplyPatch::new(Arc::clone(&workspace));
        let scene = Self { folder, workspace, tool };
        for (path, bytes) in files {
            fs::create_dir_all(scene.at(path).parent().unwrap()).unwrap();
            fs::write(scene.at(path), bytes).unwrap();
        }
        scene
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("work").join(path)
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.at(path)).unwrap()
    }

    pub(crate) fn tree(&self) -> Tree {
        tree(&self.at(""))
    }

    pub(crate) fn apply(&self, patch: &str) -> Result<String, String> {
        called(&self.tool, &free(patch))
    }

    /// One of the tools with arguments, as the toolbox would call it.
    pub(crate) fn call(&self, name: &str, arguments: &Value) -> Result<String, String> {
        call(&self.workspace, name, arguments)
    }

    pub(crate) fn effects(&self, patch: &str) -> Vec<Effect> {
        let effects = self.tool.effects(&free(patch));
        // The form of the call makes no difference.
        assert_eq!(self.tool.effects(&function(patch)), effects);
        effects
    }

    pub(crate) fn inspect(&self, patch: &str) -> Inspection {
        let seen = self.tool.inspect(&function(patch));
        assert_eq!(self.tool.inspect(&free(patch)), seen);
        seen
    }
}

pub(crate) fn call(workspace: &Arc<Workspace>, name: &str, arguments: &Value) -> Result<String, String> {
    let tools = tools(workspace);
    let tool = tools.iter().find(|tool| tool.spec().name().as_str() == name).unwrap();
    called(tool.as_ref(), &payload(arguments))
}

pub(crate) fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

/// Returns the text of the result or of the error.
fn called(tool: &dyn Tool, payload: &Payload) -> Result<String, String> {
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    match runtime.block_on(tool.call(&ctx, payload)) {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => Ok(text.clone()),
            other => panic!("{other:?}"),
        },
        Err(ToolError::Model(text)) => Err(text.wire_text()),
        Err(other) => panic!("{other}"),
    }
}

fn free(patch: &str) -> Payload {
    Payload::Custom { input: patch.to_owned() }
}

fn function(patch: &str) -> Payload {
    payload(&json!({ "patch": patch }))
}

pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_path_buf();
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                tree.insert(name, None);
                open.push(path);
            } else {
                tree.insert(name, fs::read(&path).ok());
            }
        }
    }
    tree
}
