//! `apply_diff`: changes several places of one file by SEARCH/REPLACE blocks.

use std::sync::Arc;

use windlass_protocol::{ErrorText, Payload, ToolSpec};
use windlass_sandbox::{Contents, Workspace, WorkspacePath};
use windlass_tool::ToolError;
use windlass_tool_args::{ToolArgs, read_arguments};

use crate::blocks::parse;
use crate::effort::Effort;
use crate::joined::{apply_hunks, now_near};
use crate::lone::{self, Edit, one_file_tool};
use crate::patch::Hunk;
use crate::places::Order;

const DESCRIPTION: &str = "Changes several places of one file of the workspace: all of them, or none. `diff` holds \
    one or more blocks:\n<<<<<<< SEARCH\n:start_line:12\n-------\nthe lines to find, whole, with their \
    indentation\n=======\nthe lines that take their place\n>>>>>>> REPLACE\nThe two lines under SEARCH may be left \
    out; a line number only tells which of several places is meant. Each block has to stand in the file as it is \
    before the call. A line of the file that looks like a marker is written with a backslash before it.";

/// Tool `apply_diff`: changes several places of one file by SEARCH/REPLACE blocks, all of them or none.
///
/// ```
/// use std::sync::Arc;
/// use windlass_protocol::{Arguments, CallId, Payload};
/// use windlass_sandbox::Workspace;
/// use windlass_tool::{Context, Tool};
/// use windlass_tools_edit::ApplyDiff;
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.txt"), "one\ntwo\nthree\n")?;
/// let tool = ApplyDiff::new(Arc::new(Workspace::open(folder.path())?));
/// let diff = r"<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE";
/// let arguments = Arguments::parse(format!(r#"{{"path": "a.txt", "diff": "{diff}"}}"#))?;
/// tool.call(&Context::new(CallId::new("call_1")?), &Payload::Function { arguments }).await?;
/// assert_eq!(std::fs::read(folder.path().join("a.txt"))?, b"1\ntwo\n3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ApplyDiff {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, ToolArgs)]
#[serde(deny_unknown_fields)]
struct DiffArguments {
    /// The file, relative to the workspace.
    path: String,
    /// One or more SEARCH/REPLACE blocks.
    diff: String,
}

/// The arguments with their parsed blocks.
struct Blocks {
    path: String,
    hunks: Vec<Hunk>,
}

impl ApplyDiff {
    /// Creates the tool for a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        let spec =
            lone::spec("apply_diff", DESCRIPTION, DiffArguments::schema().as_str()).with_eager_arguments();
        Self { workspace, spec }
    }
}

one_file_tool!(ApplyDiff, Blocks);

impl Edit for Blocks {
    fn read(payload: &Payload) -> Result<Self, ToolError> {
        let DiffArguments { path, diff } = read_arguments(payload)?;
        let hunks = parse(&diff, &path).map_err(|error| {
            ErrorText::from(error).map_problem(|problem| format!("{problem}; nothing was changed"))
        })?;
        Ok(Self { path, hunks })
    }

    fn path(&self) -> &str {
        &self.path
    }

    fn change(
        &self,
        path: &WorkspacePath,
        before: &Contents,
        effort: &Effort,
    ) -> Result<(Vec<u8>, String), ErrorText> {
        // A block without lines to find has a place only in an empty file.
        if let Some(hunk) = self.hunks.iter().find(|hunk| hunk.old().is_empty() && !before.bytes.is_empty()) {
            return Err(ErrorText::new(format!(
                "the block at line {} of the diff finds no lines, and `{path}` is not empty; nothing was changed",
                hunk.number
            ))
            .with_advice("Write the line above the place into both parts."));
        }
        let (after, likeness) = apply_hunks(path, &before.bytes, &self.hunks, Order::Free, effort)
            .map_err(|error| error.map_problem(|problem| format!("{problem}\nNothing was changed.")))?;
        let count = self.hunks.len();
        let how = likeness.forgiven().map(|how| format!(", {how}")).unwrap_or_default();
        Ok((after, format!("changed {path}: {count} of {count} blocks{how}")))
    }

    fn describe_near(&self, bytes: &[u8], effort: &Effort) -> Option<String> {
        now_near(bytes, &self.hunks, effort)
    }
}
