//! `apply_patch`: changes several files at once, all of them or none.

use std::sync::Arc;

use windlass_protocol::{
    Effect, ErrorText, Grammar, Hints, Payload, PlannedFile, ReconcileOutcome, Target, TargetKind, ToolName,
    ToolSpec,
};
use windlass_sandbox::{Look, Workspace};
use windlass_text::{MAX_SHOWN_BYTES, Room, count_noun};
use windlass_tool::{Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture, run_blocking};

use crate::commit::commit;
use crate::effort::Effort;
use crate::lone::MAX_TOLD_LINES;
use crate::named::{NamedPath, paths_in};
use crate::patch::{Section, parse};
use crate::planned::{PlannedChange, plan};

const DESCRIPTION: &str = "Changes files of the workspace with a patch: all that it names, or none. Between the \
    lines `*** Begin Patch` and `*** End Patch` stand parts: `*** Add File: PATH` with lines that begin with `+`; \
    `*** Delete File: PATH`; `*** Update File: PATH`, perhaps `*** Move to: PATH`, then hunks. A hunk begins with \
    `@@`, or `@@ LINE` with a line that stands above the place, as a function's first; its lines begin with a space \
    (stays), `-` (goes) or `+` (comes). Give three lines that stay around each change; a place that is not the only \
    one is refused. `*** End of File` after a hunk says that it ends the file.";

const GRAMMAR: &str = r#"start: "*** Begin Patch" LF file+ "*** End Patch" LF?
file: add | delete | update
add: "*** Add File: " TEXT LF ("+" TEXT? LF)+
delete: "*** Delete File: " TEXT LF
update: "*** Update File: " TEXT LF move? body?
move: "*** Move to: " TEXT LF
body: (anchor | line)+ last?
anchor: "@@" (" " TEXT)? LF
line: ("+" | "-" | " ") TEXT? LF
last: "*** End of File" LF
TEXT: /[^\n]+/
%import common.LF
"#;

/// Names of the JSON argument with the patch: the common one, and the one of a function that replaces a
/// freeform tool (`ToolSpec::as_function`).
const ARGUMENTS: [&str; 2] = ["patch", "input"];

/// Tool `apply_patch`: changes several files of the workspace with a patch, all of them or none. It accepts
/// the patch as free text, or as JSON arguments `{"patch": ".."}`.
///
/// ```
/// use std::sync::Arc;
/// use windlass_protocol::{Effect, Payload};
/// use windlass_sandbox::Workspace;
/// use windlass_tool::Tool;
/// use windlass_tools_edit::ApplyPatch;
/// let folder = tempfile::tempdir()?;
/// let tool = ApplyPatch::new(Arc::new(Workspace::open(folder.path())?));
/// let input = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch".to_owned();
/// assert_eq!(tool.effects(&Payload::Custom { input }), [Effect::Delete { path: "a.txt".into() }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ApplyPatch {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

impl ApplyPatch {
    /// Creates the tool for a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec() }
    }

    /// Returns one effect for each path, so that path rules see all of them.
    fn effects_of(&self, text: &str) -> Vec<Effect> {
        let path = |path: &str| self.workspace.effect_path(path);
        let effect = |named: &NamedPath<'_>| match named {
            NamedPath::Write(text, bytes) => Effect::Write { path: path(text), bytes: *bytes },
            NamedPath::Delete(text) => Effect::Delete { path: path(text) },
        };
        match parse(text) {
            Ok(sections) => sections.iter().flat_map(Section::paths).map(|named| effect(&named)).collect(),
            Err(_) => [Effect::Unknown].into_iter().chain(paths_in(text).iter().map(effect)).collect(),
        }
    }

    fn targets_of(&self, text: &str, look: Look) -> Vec<Target> {
        let target = |named: &NamedPath<'_>| match named {
            NamedPath::Write(path, _) | NamedPath::Delete(path) => self.workspace.target(path, look),
        };
        match parse(text) {
            Ok(sections) => sections.iter().flat_map(Section::paths).map(|named| target(&named)).collect(),
            Err(_) => paths_in(text).iter().map(target).collect(),
        }
    }

    /// Asks the editor of the workspace for the files that the patch changes.
    fn consult_editor(&self, text: &str) {
        let sections = parse(text).unwrap_or_default();
        for named in sections.iter().flat_map(Section::paths) {
            let (NamedPath::Write(path, _) | NamedPath::Delete(path)) = named;
            if let Ok(path) = self.workspace.resolve(path) {
                self.workspace.consult_editor(&path);
            }
        }
    }

    fn plan(&self, text: &str, effort: &Effort) -> Result<Vec<PlannedChange>, ToolError> {
        let sections = parse(text).map_err(|error| {
            ErrorText::from(error).map_problem(|problem| format!("{problem}; nothing was changed"))
        })?;
        plan(&self.workspace, sections, effort).map_err(|problems| {
            let start = ErrorText::new("the patch does not fit; nothing was changed:");
            let joined = problems.into_iter().fold(start, |joined, ErrorText { problem, advice, .. }| {
                let joined = joined.map_problem(|before| format!("{before}\n- {problem}"));
                advice.into_iter().fold(joined, ErrorText::with_advice)
            });
            ToolError::model(joined)
        })
    }
}

fn spec() -> ToolSpec {
    ToolSpec::Freeform {
        name: ToolName::new("apply_patch").expect("the tool's name is a plain word"),
        description: DESCRIPTION.to_owned(),
        grammar: Some(Grammar::Lark(GRAMMAR.to_owned())),
    }
}

impl Tool for ApplyPatch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn has_built_in_rules(&self) -> bool {
        true
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        text_of(payload).map_or_else(|| vec![Effect::Unknown], |text| self.effects_of(&text))
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let text = ARGUMENTS.into_iter().find_map(|name| complete.text(name));
        text.map(|text| self.effects_of(text)).unwrap_or_default()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let Some(text) = text_of(payload) else { return Inspection::default() };
        let planned = self.plan(&text, &Effort::default());
        // A call that will fail does not depend on the content of files.
        let look = if planned.is_ok() { Look::Bytes } else { Look::Place };
        let targets = self.targets_of(&text, look);
        let linked = targets.iter().any(|target| target.links > 1 && target.kind == TargetKind::File);
        let mut seen = targets.into_iter().fold(Inspection::default(), Inspection::with_target);
        let Ok(planned) = planned else { return seen };
        if linked {
            return seen;
        }
        seen = seen.with_planned(planned.iter().flat_map(|plan| plan.states(&self.workspace)));
        let mut room = MAX_SHOWN_BYTES;
        for plan in &planned {
            for change in plan.changes(room) {
                room = room.saturating_sub(change.diff.len());
                seen = seen.with_change(change);
            }
        }
        seen
    }

    fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        self.workspace.aftermath(planned)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let text = text_of(payload).ok_or_else(|| ToolError::model("the call has no patch as text"))?;
            let tool = Self { workspace: Arc::clone(&self.workspace), spec: self.spec.clone() };
            run_blocking(ctx, move |stop| {
                let token = stop.clone();
                tool.consult_editor(&text);
                let planned = tool.plan(&text, &Effort::new(move || token.is_cancelled()))?;
                commit(&tool.workspace, &planned, stop).map_err(ToolError::model)?;
                Ok(Output::text(describe_changes(&planned)))
            })
            .await
        })
    }
}

/// Returns the patch in a payload of any form.
fn text_of(payload: &Payload) -> Option<String> {
    match payload {
        Payload::Custom { input } => Some(input.clone()),
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
            let value = ARGUMENTS.into_iter().find_map(|name| arguments.get(name))?;
            value.as_str().map(str::to_owned)
        }
        _ => None,
    }
}

fn describe_changes(planned: &[PlannedChange]) -> String {
    let mut text = format!("patched {}:\n", count_noun(planned.len(), "file"));
    let mut room = MAX_TOLD_LINES;
    for plan in planned {
        text.push_str(&plan.words());
        text.push('\n');
    }
    for plan in planned.iter().filter(|plan| plan.before.is_some() && plan.after.is_some()) {
        let diff = plan.diff(Room::default().with_lines(room));
        room = room.saturating_sub(diff.lines().count());
        text.push_str(&diff);
    }
    text
}
