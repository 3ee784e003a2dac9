//! A process in Python that serves tools, and a toolbox that has them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use windlass_protocol::{Arguments, CallId, Hints, ResultStatus, ToolCall, ToolName, ToolResult};
use windlass_sandbox::Workspace;
use windlass_tool::{CancellationToken, Context, Progress};
use windlass_toolbox::{DynamicTools, Toolbox};
use windlass_tools_dynamic::{FolderOwner, ProcessError, ServedProcess, ToolProcess, load};
use windlass_tools_shell::Shell;

/// The first and the last messages of each process.
const HEAD: &str = "
import json, os, signal, socket, subprocess, sys
def say(value):
    print(json.dumps(value), flush=True)
def tool(name, **more):
    schema = {'type': 'object', 'properties': {'x': {'type': 'string'}}, 'additionalProperties': False}
    return {'name': name, 'description': 'Does ' + name + '.', 'schema': schema, **more}
def cancel(id):
    pass
";
const TAIL: &str = "
for line in sys.stdin:
    ask = json.loads(line)
    if ask['method'] == 'list':
        tools(ask['id'])
    elif ask['method'] == 'call':
        call(ask['id'], ask['tool'], ask['arguments'])
    elif ask['method'] == 'cancel':
        cancel(ask['id'])
";

/// Time limit for an expected event.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// A process, not started yet.
pub(crate) struct Prepared {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) process: ToolProcess,
    pub(crate) hints: Arc<Mutex<Vec<Hints>>>,
}

/// A process whose tools a toolbox has.
pub(crate) struct Serving {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) served: ServedProcess,
    pub(crate) toolbox: Toolbox,
    pub(crate) hints: Arc<Mutex<Vec<Hints>>>,
}

/// A process of Python; an error without Python.
pub(crate) fn prepared(script: &str, more: &str, owner: FolderOwner) -> Result<Prepared, String> {
    prepared_in("python3", script, more, owner, |_| Shell::new_unconfined())
}

/// Like the function above, with the shell for a folder that contains `project` and `tools`.
pub(crate) fn prepared_in(
    python: &str,
    script: &str,
    more: &str,
    owner: FolderOwner,
    shell: impl Fn(&Path) -> Shell,
) -> Result<Prepared, String> {
    let found = Command::new(python).arg("--version").stdout(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        return Err(format!("{python} cannot be started"));
    }
    let folder = tempfile::tempdir().unwrap();
    let (project, tools) = (folder.path().join("project"), folder.path().join("tools"));
    std::fs::create_dir(&project).unwrap();
    std::fs::create_dir(&tools).unwrap();
    std::fs::write(tools.join("serve.py"), format!("{HEAD}{script}{TAIL}")).unwrap();
    let file = format!("[process]\nargv = [\"{python}\", \"serve.py\"]\n{more}\n");
    std::fs::write(tools.join("mine.toml"), file).unwrap();
    let workspace = Arc::new(Workspace::open(&project).unwrap());
    let shell = shell(&folder.path().canonicalize().unwrap());
    let mut loaded = load(&tools, owner, &workspace, &shell).unwrap();
    assert!(loaded.problems.is_empty() && loaded.tools.is_empty(), "{loaded:?}");
    let hints = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&hints);
    let process = loaded.processes.remove(0).with_each(move |tool| {
        seen.lock().unwrap().push(tool.hints());
        tool
    });
    Ok(Prepared { folder, process, hints })
}

pub(crate) async fn served(script: &str) -> Result<Serving, String> {
    let prepared = prepared(script, "", FolderOwner::User)?;
    Ok(prepared.serve().await.unwrap())
}

impl Prepared {
    pub(crate) async fn serve(self) -> Result<Serving, ProcessError> {
        let dynamic = DynamicTools::default();
        let toolbox = Toolbox::builder().dynamic(dynamic.clone()).build().unwrap();
        let served = self.process.serve(&dynamic).await?;
        Ok(Serving { folder: self.folder, served, toolbox: toolbox.refresh(), hints: self.hints })
    }
}

impl Serving {
    /// A call as a run makes one.
    pub(crate) async fn call(&self, name: &str, arguments: &str) -> ToolResult {
        call(&self.toolbox, name, arguments, CancellationToken::new(), |_| ()).await
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.served.tools().iter().map(ToString::to_string).collect()
    }

    #[track_caller]
    pub(crate) fn left_out(&self, name: &str, part: &str) {
        let all: Vec<_> = self.served.first().left_out.iter().map(ToString::to_string).collect();
        let told = all.iter().any(|line| line.contains(name) && line.contains(part));
        assert!(told, "{name:?} with {part:?} is not in {all:#?}");
    }
}

pub(crate) async fn call(
    toolbox: &Toolbox,
    name: &str,
    arguments: &str,
    stop: CancellationToken,
    heard: impl Fn(String) + Send + Sync + 'static,
) -> ToolResult {
    let id = CallId::new("call_1").unwrap();
    let arguments = Arguments::parse(arguments).unwrap();
    let call = ToolCall::function(id.clone(), ToolName::new(name).unwrap(), arguments);
    let ctx = Context::new(id).with_cancellation(stop).with_progress(move |progress| {
        if let Progress::Note(text) = progress {
            heard(text);
        }
    });
    let checked = match toolbox.check(&call) {
        Ok(checked) => checked,
        Err(refused) => return *refused,
    };
    tokio::time::timeout(SOON, toolbox.run(&checked, &ctx)).await.unwrap().unwrap()
}

#[track_caller]
pub(crate) fn check(result: &ToolResult, status: ResultStatus, parts: &[&str]) {
    let text = result.wire_text();
    assert_eq!(result.status, status, "{text}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}
