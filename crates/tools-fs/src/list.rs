//! `list_files`: lists the content of a folder.

use std::fmt::Write;
use std::sync::Arc;

use serde::Deserialize;
use windlass_command::{is_protected_name, is_secret_name};
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::{FileError, FolderEntry, Kind, Look, Workspace, WorkspacePath};
use windlass_text::count_noun;
use windlass_tool::{
    Context, EarlyArguments, Inspection, Output, PathGate, Tool, ToolError, ToolFuture, run_blocking,
};
use windlass_tool_args::read_arguments;

use crate::ignored::IgnoreRules;
use crate::pattern::Pattern;
use crate::spec::{path_of, spec, to_tool_error};

const DEFAULT_LIMIT: usize = 500;
const MAX_LIMIT: usize = 5_000;
const MAX_DEPTH: u64 = 20;
/// Maximum number of names that are counted, shown or not.
const MAX_COUNTED: usize = 100_000;

const DESCRIPTION: &str = "Lists the content of a folder of the workspace, sorted; folders end with `/`, links \
    show their target and are not followed. With `depth` above 1 it goes into folders, but not into `.git`; \
    with a `pattern` it looks through all levels. What `.gitignore` names is left out and counted. Names that need \
    a human's yes are marked. To find text in files use `grep_file`.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"The folder, relative to the workspace. Default: the workspace itself."},
"depth":{"type":"integer","minimum":1,"maximum":20,"description":"Number of levels to descend. Default 1, with a pattern 20."},
"limit":{"type":"integer","minimum":1,"maximum":5000,"description":"Maximum number of names. Default 500."},
"pattern":{"type":"string","description":"Only names that fit, as `*.rs` or `src/**/*.{ts,tsx}`."},
"include_ignored":{"type":"boolean","description":"Also what `.gitignore` names. Default false."}
},"required":[],"additionalProperties":false}"#;

/// The tool `list_files`.
#[derive(Debug)]
pub struct ListFiles {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    depth: Option<u64>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    pattern: Option<String>,
    #[serde(default)]
    include_ignored: Option<bool>,
}

impl ListFiles {
    /// Creates the tool for a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec("list_files", DESCRIPTION, SCHEMA) }
    }
}

impl Tool for ListFiles {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        vec![Effect::Read { path: self.workspace.effect_path(path_of(payload).unwrap_or(".")) }]
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Read { path: self.workspace.effect_path(path) };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let path = path_of(payload).unwrap_or(".");
        Inspection::default().with_target(self.workspace.target(path, Look::Place))
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: ListArguments = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            let gate = ctx.path_gate().clone();
            run_blocking(ctx, move |stop| list(&workspace, &arguments, &gate, &|| stop.is_cancelled())).await
        })
    }
}

/// Lines of the result, and the counts of all names.
struct Listing<'a> {
    workspace: &'a Workspace,
    gate: &'a PathGate,
    path: WorkspacePath,
    pattern: Option<Pattern>,
    limit: usize,
    lines: Vec<String>,
    count: usize,
    ignored: usize,
    refused: usize,
    /// Number of ignore files that were not applied completely.
    incomplete_rules: usize,
    is_cut: bool,
}

fn list(
    workspace: &Workspace,
    arguments: &ListArguments,
    gate: &PathGate,
    stopped: &dyn Fn() -> bool,
) -> Result<Output, ToolError> {
    let path = workspace.resolve(arguments.path.as_deref().unwrap_or(".")).map_err(to_tool_error)?;
    let pattern = arguments.pattern.as_deref().map(Pattern::new).transpose()?;
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let default_depth = if pattern.is_some() { MAX_DEPTH } else { 1 };
    let depth = arguments.depth.unwrap_or(default_depth).clamp(1, MAX_DEPTH);
    let mut shown = Listing::new(workspace, gate, path.clone(), pattern, limit);
    let respects = arguments.include_ignored != Some(true);
    let mut ignored =
        if respects { IgnoreRules::from_ancestors(workspace, &path) } else { IgnoreRules::default() };
    // Depth-first walk with an explicit stack. Each entry holds the remaining names of a folder in reverse
    // order.
    let mut room = MAX_COUNTED;
    let top = shown.reverse_names(&path, &mut room).map_err(to_tool_error)?;
    let mut open = vec![(path, top)];
    while let Some((folder, names)) = open.last_mut() {
        let Some(entry) = names.pop() else {
            open.pop();
            ignored.leave();
            continue;
        };
        if stopped() {
            shown.is_cut = true;
            break;
        }
        let inner = folder.join(&entry.name);
        if !gate.is_open() && !shown.may_show(&inner) {
            shown.refused = shown.refused.saturating_add(1);
            continue;
        }
        if respects && ignored.has(&inner, entry.kind) {
            shown.ignored = shown.ignored.saturating_add(1);
            continue;
        }
        shown.push(&inner, entry.kind);
        let deeper = open.len() as u64 >= depth || entry.name == ".git";
        if entry.kind == Kind::Folder && !deeper {
            // A folder that cannot be opened or was removed is still listed by name.
            let names = shown.reverse_names(&inner, &mut room).unwrap_or_default();
            ignored.enter(workspace, &inner, respects);
            open.push((inner, names));
        }
    }
    shown.incomplete_rules = ignored.incomplete;
    Ok(Output::text(shown.words()))
}

impl<'a> Listing<'a> {
    fn new(
        workspace: &'a Workspace,
        gate: &'a PathGate,
        path: WorkspacePath,
        pattern: Option<Pattern>,
        limit: usize,
    ) -> Self {
        Self {
            workspace,
            gate,
            path,
            pattern,
            limit,
            lines: Vec::new(),
            count: 0,
            ignored: 0,
            refused: 0,
            incomplete_rules: 0,
            is_cut: false,
        }
    }

    /// Returns true if policy allows a name to be shown. Rules apply to the real path, and the listed folder
    /// may have been reached through a link.
    fn may_show(&self, path: &WorkspacePath) -> bool {
        let (Some(folder), Some(name)) = (path.relative().parent(), path.relative().file_name()) else {
            return true;
        };
        let real = WorkspacePath::from_walk(folder).ok().and_then(|folder| self.workspace.real(&folder).ok());
        let real = real.map(|folder| folder.join(name));
        self.gate.shows(&path.plain()) && real.is_some_and(|real| self.gate.shows(&real.plain()))
    }

    /// Returns true if policy allows the target of a link to be shown. Hides a target that does not exist.
    fn may_show_target(&self, link: &WorkspacePath) -> bool {
        self.gate.is_open() || self.workspace.real(link).is_ok_and(|real| self.gate.shows(&real.plain()))
    }

    /// Returns the names in a folder in reverse order, up to the remaining number.
    fn reverse_names(
        &mut self,
        folder: &WorkspacePath,
        room: &mut usize,
    ) -> Result<Vec<FolderEntry>, FileError> {
        let mut listing = self.workspace.list(folder, *room)?;
        *room = room.saturating_sub(listing.entries.len());
        self.is_cut |= listing.is_cut;
        listing.entries.reverse();
        Ok(listing.entries)
    }

    fn push(&mut self, path: &WorkspacePath, kind: Kind) {
        let below = path.relative_to(&self.path);
        if self.pattern.as_ref().is_some_and(|pattern| !pattern.fits(&below)) {
            return;
        }
        self.count = self.count.saturating_add(1);
        if self.lines.len() < self.limit {
            self.lines.push(self.line(path, &below, kind));
        }
    }

    fn line(&self, path: &WorkspacePath, below: &WorkspacePath, kind: Kind) -> String {
        let name = path.relative().file_name().unwrap_or_default().to_string_lossy();
        let mark = match (is_secret_name(&name), is_protected_name(&name)) {
            (true, _) => " (secret)",
            (_, true) => " (protected)",
            _ => "",
        };
        let line = match kind {
            Kind::Folder => format!("{below}/"),
            Kind::Link => match self.workspace.link_target(path) {
                Ok(target) if self.may_show_target(path) => format!("{below} -> {target}"),
                _ => format!("{below} (a link)"),
            },
            Kind::File => below.to_string(),
            _ => format!("{below} ({kind})"),
        };
        line + mark
    }

    fn words(&self) -> String {
        let (path, count, total) = (&self.path, self.lines.len(), self.count);
        let all = if self.is_cut {
            format!("at least {}, as not all were looked at", count_noun(total, "name"))
        } else {
            count_noun(total, "name")
        };
        let mut left_out = match self.ignored {
            0 => String::new(),
            count => format!("; {count} that .gitignore names are left out, include_ignored shows them"),
        };
        if self.refused > 0 {
            // Writing into a string cannot fail.
            let _ = write!(left_out, "; {} are left out because rules refuse them", self.refused);
        }
        if self.incomplete_rules > 0 {
            let files = count_noun(self.incomplete_rules, "ignore file");
            // Writing into a string cannot fail.
            let _ = write!(left_out, "; {files} cannot be read or built as a whole");
        }
        if count == 0 {
            return match &self.pattern {
                Some(_) if total == 1 => format!("[{path}: 0 of {all} fits the pattern{left_out}]"),
                Some(_) => format!("[{path}: 0 of {all} fit the pattern{left_out}]"),
                None if self.ignored > 0 || self.refused > 0 => format!("[{path}: no names{left_out}]"),
                None => format!("[{path} is an empty folder]"),
            };
        }
        let more = if count < total || self.is_cut { "; give a deeper path or a larger limit" } else { "" };
        format!("[{path}: {count} of {all}{left_out}{more}]\n{}", self.lines.join("\n"))
    }
}
