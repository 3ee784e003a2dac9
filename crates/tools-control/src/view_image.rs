//! `view_image`: sends an image of the workspace to the model.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Image, Payload, ToolSpec};
use windlass_sandbox::{Look, Workspace};
use windlass_text::{Picture, PictureError};
use windlass_tool::{Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture, run_blocking};
use windlass_tool_args::read_arguments;

use crate::picture::Other;
use crate::spec::spec;

/// The tool `view_image`, which returns an image of the workspace. For a file of another type it returns an
/// error that names the type and the next step.
#[derive(Debug)]
pub struct ViewImage {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
}

const DESCRIPTION: &str =
    "Shows a picture of the workspace (PNG, JPEG, GIF or WebP), so that you can look at it.";

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"The file, relative to the workspace."}},"required":["path"],"additionalProperties":false}"#;

impl ViewImage {
    /// Creates the tool for the given workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { spec: spec("view_image", DESCRIPTION, SCHEMA), workspace }
    }
}

impl Tool for ViewImage {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<Arguments>(payload) {
            Ok(arguments) => vec![Effect::Read { path: self.workspace.effect_path(&arguments.path) }],
            Err(_) => vec![Effect::Unknown],
        }
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Read { path: self.workspace.effect_path(path) };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let path = read_arguments::<Arguments>(payload).ok().map(|arguments| arguments.path);
        let target = path.map(|path| self.workspace.target(&path, Look::Place));
        target.into_iter().fold(Inspection::default(), Inspection::with_target)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { path } = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            run_blocking(ctx, move |_| view(&workspace, &path)).await
        })
    }
}

fn view(workspace: &Workspace, path: &str) -> Result<Output, ToolError> {
    let path = workspace.resolve(path).map_err(ToolError::model)?;
    let contents = workspace.read(&path).map_err(ToolError::model)?;
    let (bytes, len) = (&contents.bytes, contents.bytes.len());
    let Picture { format, width, height, .. } = Picture::read(bytes).map_err(|error| {
        if matches!(error, PictureError::Other) {
            let what = Other::detect(bytes);
            let problem = format!("`{path}` is {what}, and only PNG, JPEG, GIF and WebP are shown");
            return ToolError::model(problem).with_advice(what.advice());
        }
        let problem = ToolError::model(format!("`{path}` {error}"));
        match error {
            PictureError::TooLarge { .. } => {
                problem.with_advice("Make a smaller one with a command, and view that.")
            }
            _ => problem,
        }
    })?;
    let image = Image::base64(format.media_type(), STANDARD.encode(bytes));
    Ok(Output::text(format!("{path}: {format}, {width}x{height}, {len} bytes")).with_image(image))
}
