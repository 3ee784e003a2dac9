//! `read_file`: a file's lines with their numbers, or a picture.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Image, Payload, ToolSpec};
use windlass_redact::Redactor;
use windlass_sandbox::{Contents, FileError, Look, Workspace};
use windlass_tool::{
    Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture, read_arguments,
};

use crate::blocking::{blocking, path_of, spec, told};
use crate::image::{MAX_IMAGE_BYTES, media_type};
use crate::large;

const DEFAULT_LINES: u64 = 2_000;
pub(crate) const MAX_LINE_CHARS: usize = 2_000;
/// Where a page ends though lines are left: about 15,000 tokens.
pub(crate) const MAX_PAGE_BYTES: usize = 60_000;

const DESCRIPTION: &str = "Reads a text file or a picture of the workspace. Lines come with their numbers, \
    which are not part of the file. Long files come in pages: give `offset` and `limit` for the next one. \
    Read a file before you overwrite it. Long outputs of other tools are read as `@outputs/NAME`.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"The file, relative to the workspace, or @outputs/NAME."},
"offset":{"type":"integer","minimum":1,"description":"The first line to show, counted from 1. Default 1."},
"limit":{"type":"integer","minimum":1,"description":"How many lines to show at the most. Default 2000."}
},"required":["path"],"additionalProperties":false}"#;

/// The tool `read_file`.
#[derive(Debug)]
pub struct ReadFile {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    path: String,
    #[serde(default)]
    offset: Option<u64>,
    #[serde(default)]
    limit: Option<u64>,
}

impl ReadFile {
    /// The tool on a workspace.
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
        match path_of(payload) {
            Some(path) => vec![Effect::Read { path: self.workspace.effect_path(path) }],
            None => vec![Effect::Unknown],
        }
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Read { path: self.workspace.effect_path(path) };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let target = path_of(payload).map(|path| self.workspace.target(path, Look::Place));
        target.into_iter().fold(Inspection::default(), Inspection::with_target)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: ReadArguments = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            let redactor = ctx.redactor().clone();
            blocking(ctx, move || read(&workspace, &arguments, &redactor)).await
        })
    }
}

fn read(workspace: &Workspace, arguments: &ReadArguments, redactor: &Redactor) -> Result<Output, ToolError> {
    let path = workspace.resolve(&arguments.path).map_err(told)?;
    let shown = path.to_string();
    let first = arguments.offset.unwrap_or(1).max(1);
    let limit = arguments.limit.unwrap_or(DEFAULT_LINES).max(1);
    let contents = match workspace.read(&path) {
        Err(FileError::TooLarge { .. }) => {
            let stream = workspace.stream(&path).map_err(told)?;
            return large::page(&shown, stream, (first, limit), redactor).map(Output::text);
        }
        contents => contents.map_err(told)?,
    };
    if let Some(media_type) = media_type(&contents.bytes) {
        return picture(&shown, media_type, &contents);
    }
    let text = if path.is_output() {
        // A command may print anything; what cannot be shown is replaced.
        String::from_utf8_lossy(&contents.bytes)
    } else {
        Cow::Borrowed(decode(&shown, &contents.bytes)?)
    };
    let page = page(&shown, &text, (first, limit), redactor)?;
    workspace.remember(&contents.path, contents.version);
    Ok(Output::text(page))
}

fn picture(path: &str, media_type: &str, contents: &Contents) -> Result<Output, ToolError> {
    let len = contents.bytes.len();
    if len > MAX_IMAGE_BYTES {
        return Err(ToolError::model(format!(
            "`{path}` is a picture ({media_type}) of {len} bytes, at most {MAX_IMAGE_BYTES} can be shown; make it smaller first"
        )));
    }
    let image = Image::base64(media_type, STANDARD.encode(&contents.bytes));
    Ok(Output::text(format!("{path}: a picture ({media_type}), {len} bytes")).with_image(image))
}

/// The text of a file, or its name and why it is none.
fn decode<'b>(path: &str, bytes: &'b [u8]) -> Result<&'b str, ToolError> {
    let len = bytes.len();
    check_text(path, bytes, len as u64)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        ToolError::model(format!(
            "`{path}` is not UTF-8 text (byte {at} of {len}); convert it with a command first"
        ))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Refuses by name what is no text by its first bytes.
pub(crate) fn check_text(path: &str, start: &[u8], len: u64) -> Result<(), ToolError> {
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        return Err(ToolError::model(format!(
            "`{path}` is UTF-16 text, only UTF-8 is shown; convert it with a command first"
        )));
    }
    if start.iter().take(8_192).any(|byte| *byte == 0) {
        return Err(ToolError::model(format!(
            "`{path}` is a binary file of {len} bytes and is not shown; use a command that understands its format"
        )));
    }
    Ok(())
}

fn page(
    path: &str,
    text: &str,
    (first, limit): (u64, u64),
    redactor: &Redactor,
) -> Result<String, ToolError> {
    if text.is_empty() {
        return Ok(format!("[{path} is empty]"));
    }
    let total = text.lines().count() as u64;
    if first > total {
        return Err(ToolError::model(format!(
            "`{path}` has {total} lines; give an offset from 1 to {total}"
        )));
    }
    let mut body = String::new();
    let mut last = first;
    let skipped = usize::try_from(first - 1).unwrap_or(usize::MAX);
    for (number, line) in (first..).zip(text.lines().skip(skipped)) {
        if number - first >= limit || (number > first && body.len() + line.len().min(8_000) > MAX_PAGE_BYTES)
        {
            break;
        }
        last = number;
        // Before it is cut: half a secret is not found.
        write_line(&mut body, number, &redactor.redact(line));
    }
    let more = if last < total { format!("; read on with offset {}", last + 1) } else { String::new() };
    Ok(format!("[{path}: lines {first}-{last} of {total}{more}]\n{body}"))
}

fn write_line(body: &mut String, number: u64, line: &str) {
    // Writing into a string cannot fail.
    let _ = match line.char_indices().nth(MAX_LINE_CHARS) {
        None => writeln!(body, "{number:>6}\t{line}"),
        Some((end, _)) => {
            let (shown, count) = (line.get(..end).unwrap_or(line), line.chars().count());
            writeln!(body, "{number:>6}\t{shown} [line cut: {MAX_LINE_CHARS} of {count} characters shown]")
        }
    };
}
