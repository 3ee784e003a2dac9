//! `read_file`: shows numbered lines of a file, a code block, or a picture, for one file or several.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, ErrorText, Hints, Payload, ToolSpec};
use windlass_redact::Redactor;
use windlass_sandbox::{Look, Workspace};
use windlass_text::MAX_PICTURES_BYTES;
use windlass_tool::{
    Context, EarlyArguments, Inspection, Output, PathGate, Tool, ToolError, ToolFuture, run_blocking,
};
use windlass_tool_args::read_arguments;

use crate::block::BlockOptions;
use crate::page::{MAX_PAGE_BYTES, span};
use crate::paths::{early_paths, paths_of};
use crate::spec::spec;
use crate::view::{RequestedLines, ViewRequest, view};

const DEFAULT_LINES: u64 = 2_000;
const MAX_FILES: usize = 20;
const MAX_RANGES: usize = 50;
/// Minimum number of bytes shown of each of several files, whatever the earlier files have used.
const LEAST_BYTES: usize = 2_000;

const DESCRIPTION: &str = "Reads text files or pictures of the workspace: one by `path`, or several by `files`. Lines \
    come with their numbers, which are not part of the file. Long files come in pages: give `offset` and `limit` for \
    the next one, or `ranges`. Mode `indentation` shows the block of code around a line. Notebooks come as their \
    cells. Read a file before you overwrite it. Long outputs of other tools are read as `@outputs/NAME`.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"The file, relative to the workspace, or @outputs/NAME."},
"offset":{"type":"integer","minimum":1,"description":"The first line to show, counted from 1. Default 1."},
"limit":{"type":"integer","minimum":1,"description":"Maximum number of lines. Default 2000."},
"ranges":{"type":"array","items":{"type":"string"},"description":"Lines to show instead of offset and limit, as `10-20`, `10-` or `10`."},
"mode":{"type":"string","enum":["slice","indentation"],"description":"Default slice: lines by their numbers. indentation: the block around a line."},
"indentation":{"type":"object","description":"For mode indentation.","properties":{
"anchor_line":{"type":"integer","minimum":1,"description":"The line in the block. Default: offset."},
"max_levels":{"type":"integer","minimum":0,"description":"Number of enclosing blocks to show. Default 0: all."},
"include_siblings":{"type":"boolean","description":"Also the neighbours of the block at its level. Default false."},
"include_header":{"type":"boolean","description":"Also comments and attributes right above the block. Default true."},
"max_lines":{"type":"integer","minimum":1,"description":"Maximum number of lines. Default 2000."}
},"required":[],"additionalProperties":false},
"raw":{"type":"boolean","description":"A notebook as the file that it is, as for an edit. Default false."},
"files":{"type":"array","description":"Several files instead of `path`, at most 20.","items":{"type":"object","properties":{
"path":{"type":"string","description":"The file, relative to the workspace, or @outputs/NAME."},
"offset":{"type":"integer","minimum":1,"description":"The first line to show. Default 1."},
"limit":{"type":"integer","minimum":1,"description":"Maximum number of lines. Default 2000."},
"ranges":{"type":"array","items":{"type":"string"},"description":"Lines to show, as `10-20`."}
},"required":["path"],"additionalProperties":false}}
},"required":[],"additionalProperties":false}"#;

/// The tool `read_file`.
#[derive(Debug)]
pub struct ReadFile {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    offset: Option<u64>,
    #[serde(default)]
    limit: Option<u64>,
    #[serde(default)]
    ranges: Option<Vec<String>>,
    #[serde(default)]
    mode: Option<Mode>,
    #[serde(default)]
    indentation: Option<BlockOptions>,
    #[serde(default)]
    raw: Option<bool>,
    #[serde(default)]
    files: Option<Vec<FileArguments>>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Slice,
    Indentation,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileArguments {
    path: String,
    #[serde(default)]
    offset: Option<u64>,
    #[serde(default)]
    limit: Option<u64>,
    #[serde(default)]
    ranges: Option<Vec<String>>,
}

impl ReadFile {
    /// Creates the tool for a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec("read_file", DESCRIPTION, SCHEMA) }
    }
}

impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let effect = |path: &str| Effect::Read { path: self.workspace.effect_path(path) };
        match paths_of(payload) {
            Some(paths) => paths.into_iter().map(effect).collect(),
            None => vec![Effect::Unknown],
        }
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path: &str| Effect::Read { path: self.workspace.effect_path(path) };
        early_paths(complete).into_iter().map(effect).collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let targets = paths_of(payload).unwrap_or_default();
        let targets = targets.into_iter().map(|path| self.workspace.target(path, Look::Place));
        targets.fold(Inspection::default(), Inspection::with_target)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: ReadArguments = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            let (redactor, gate) = (ctx.redactor().clone(), ctx.path_gate().clone());
            let stop = ctx.cancellation().clone();
            run_blocking(ctx, move |_| {
                let raw = arguments.raw == Some(true);
                match (&arguments.path, &arguments.files) {
                    (Some(path), None) => {
                        let wanted = arguments.parse_lines()?;
                        let asked = ViewRequest::new(&wanted, raw, MAX_PAGE_BYTES, (&redactor, &gate));
                        let view = view(&workspace, path, asked)?;
                        let output = Output::text(view.text);
                        Ok(view.image.into_iter().fold(output, Output::with_image))
                    }
                    (None, Some(files)) => {
                        several(&workspace, files, raw, (&redactor, &gate), &|| stop.is_cancelled())
                    }
                    (path, _) => {
                        let given = if path.is_some() { "both" } else { "neither" };
                        Err(ToolError::model(format!("the call has {given} of `path` and `files`"))
                            .with_advice("Give `path` for one file, or `files` for several."))
                    }
                }
            })
            .await
        })
    }
}

impl ReadArguments {
    fn parse_lines(&self) -> Result<RequestedLines, ToolError> {
        if self.mode != Some(Mode::Indentation) {
            return lines(self.offset, self.limit, self.ranges.as_deref());
        }
        let options = self.indentation.clone().unwrap_or_default();
        let offset = || self.offset.and_then(|line| usize::try_from(line).ok());
        match options.anchor_line.or_else(offset) {
            Some(anchor) => Ok(RequestedLines::Block { anchor, options }),
            None => Err(ToolError::model("the call requests a block and names no line of it")
                .with_advice("Give indentation.anchor_line, a line in the block that you want.")),
        }
    }
}

fn lines(
    offset: Option<u64>,
    limit: Option<u64>,
    ranges: Option<&[String]>,
) -> Result<RequestedLines, ToolError> {
    match ranges {
        Some(ranges) if ranges.len() > MAX_RANGES => Err(ToolError::model(format!(
            "{} ranges are asked for, at most {MAX_RANGES} are allowed",
            ranges.len()
        ))),
        Some(ranges) if !ranges.is_empty() => {
            ranges.iter().map(|range| span(range)).collect::<Result<_, _>>().map(RequestedLines::Spans)
        }
        _ => Ok(RequestedLines::Slice {
            first: offset.unwrap_or(1).max(1),
            limit: limit.unwrap_or(DEFAULT_LINES).max(1),
        }),
    }
}

/// Reads several files, each with its own outcome. Returns an error only if all of them failed.
fn several(
    workspace: &Workspace,
    files: &[FileArguments],
    raw: bool,
    limits: (&Redactor, &PathGate),
    stopped: &dyn Fn() -> bool,
) -> Result<Output, ToolError> {
    if files.is_empty() || files.len() > MAX_FILES {
        return Err(ToolError::model(format!(
            "the call names {} files, and it takes 1 to {MAX_FILES}",
            files.len()
        )));
    }
    let (mut parts, mut images, mut failed) = (Vec::new(), Vec::new(), 0);
    let mut advice = ErrorText::new("");
    let (mut room, mut pictures) = (MAX_PAGE_BYTES, MAX_PICTURES_BYTES);
    for (position, file) in files.iter().enumerate() {
        if stopped() {
            return Err(ToolError::model("the call was stopped while it read"));
        }
        let share = (room / (files.len() - position)).max(LEAST_BYTES);
        let shown = lines(file.offset, file.limit, file.ranges.as_deref()).and_then(|wanted| {
            let asked = ViewRequest { pictures, ..ViewRequest::new(&wanted, raw, share, limits) };
            view(workspace, &file.path, asked)
        });
        match shown {
            Ok(view) => {
                room = room.saturating_sub(view.text.len());
                pictures = pictures.saturating_sub(view.picture_bytes);
                parts.push(view.text);
                images.extend(view.image);
            }
            Err(ToolError::Model(error)) => {
                failed += 1;
                parts.push(format!("[{}: not read: {error}]", file.path));
                advice = error.advice.into_iter().fold(advice, ErrorText::with_advice);
            }
            Err(fatal) => return Err(fatal),
        }
    }
    let text = parts.join("\n");
    if failed == files.len() {
        return Err(advice.map_problem(|_| text).into());
    }
    let output = Output::text(text).with_advice(advice.advice);
    Ok(images.into_iter().fold(output, Output::with_image))
}
