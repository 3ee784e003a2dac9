//! `generate_image`: generates an image with a provider and writes it into the workspace.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_hitl::display_safe;
use windlass_protocol::{Effect, Hints, Payload, Risk, ToolSpec};
use windlass_sandbox::{ExpectedState, FileError, Look, Workspace, WorkspacePath};
use windlass_tool::{
    Context, EarlyArguments, Inspection, Output, Progress, Tool, ToolError, ToolFuture, run_blocking,
};
use windlass_tool_args::read_arguments;

use crate::service::{Service, line};
use crate::{Fetch, ServiceKey, UrlRefusal, WebUrl, web_fetch};

const MAX_PROMPT_CHARS: usize = 32_000;
const MAX_SIZE_CHARS: usize = 20;
/// Maximum size of a response: 32 MB of base64 are a 24 MB image.
const MAX_ANSWER: usize = 32_000_000;
/// Minimum total timeout, because generating an image takes long.
const TOTAL: Duration = Duration::from_mins(3);

const DESCRIPTION: &str = "Makes a picture from a description and writes it into the workspace. An existing file is \
    replaced only with overwrite true.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"prompt":{"type":"string","description":"A detailed description of the picture and its style."},
"path":{"type":"string","description":"The path of the file, relative to the workspace, with the ending .png, .jpg, .jpeg or .webp."},
"size":{"type":"string","description":"The size in pixels, as 1024x1024, if the model takes one."},
"overwrite":{"type":"boolean","description":"True to replace an existing file. Default false."}
},"required":["prompt","path"],"additionalProperties":false}"#;

/// Image provider that accepts `POST {base}/images/generations` as OpenAI's does, with a model and a key.
///
/// Requests pass the same checks as a page of [`Fetch`]: a host that is not public must be named with
/// [`Fetch::with_reachable`]. The response must contain the image as base64.
///
/// ```
/// use std::sync::Arc;
/// use windlass_tools_web::{Fetch, ImageProvider, ServiceKey};
///
/// let key = ServiceKey::from_variable(None, "OPENAI_API_KEY");
/// let fetch = Arc::new(Fetch::new());
/// let provider = ImageProvider::new(fetch, "https://api.openai.com/v1", "gpt-image-1", key)?
///     .with_parameter("quality", "low".into());
/// # let _ = provider;
/// # Ok::<(), windlass_tools_web::UrlRefusal>(())
/// ```
#[derive(Clone, Debug)]
pub struct ImageProvider {
    service: Service,
    model: String,
    parameters: Map<String, Value>,
}

/// The tool `generate_image`.
#[derive(Debug)]
pub struct GenerateImage {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
    provider: ImageProvider,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    prompt: String,
    path: String,
    #[serde(default)]
    size: Option<String>,
    #[serde(default)]
    overwrite: bool,
}

/// Target path of the image, with its current state.
struct Place {
    path: WorkspacePath,
    expected: ExpectedState,
}

impl ImageProvider {
    /// Creates a provider for a base URL, such as `https://api.openai.com/v1`, and a model.
    ///
    /// # Errors
    /// If the base is not a valid web URL.
    pub fn new(
        fetch: Arc<Fetch>,
        base: &str,
        model: impl Into<String>,
        key: ServiceKey,
    ) -> Result<Self, UrlRefusal> {
        let mut service = Service::new(fetch, "the image provider", WebUrl::parse(base)?, key);
        service.limits.total = service.limits.total.max(TOTAL);
        service.limits.wire_bytes = MAX_ANSWER;
        service.limits.decoded_bytes = MAX_ANSWER;
        Ok(Self { service, model: model.into(), parameters: Map::new() })
    }

    /// Adds a field to each request, such as `response_format` for models that return a URL by default.
    pub fn with_parameter(mut self, name: impl Into<String>, value: Value) -> Self {
        self.parameters.insert(name.into(), value);
        self
    }
}

impl GenerateImage {
    /// Creates the tool for a workspace and a provider.
    pub fn new(workspace: Arc<Workspace>, provider: ImageProvider) -> Self {
        Self { spec: web_fetch::spec_of("generate_image", DESCRIPTION, SCHEMA), workspace, provider }
    }

    async fn run(&self, arguments: Arguments, ctx: &Context) -> Result<Output, ToolError> {
        self.provider.service.check_key()?;
        check(&arguments, ctx)?;
        let workspace = Arc::clone(&self.workspace);
        let (path, overwrite) = (arguments.path.clone(), arguments.overwrite);
        // Check the path before the provider charges for an image.
        let place = run_blocking(ctx, move |_| place(&workspace, &path, overwrite)).await?;
        let mut body = self.provider.parameters.clone();
        body.insert("model".to_owned(), json!(self.provider.model));
        body.insert("prompt".to_owned(), json!(arguments.prompt));
        if let Some(size) = &arguments.size {
            body.insert("size".to_owned(), json!(size));
        }
        ctx.tell(Progress::Note(format!("asks {} for a picture", self.provider.service.host())));
        let value = self.provider.service.post("images/generations", &Value::Object(body)).await?;
        let encoded = self.encode_body(&value)?;
        let revised = value.pointer("/data/0/revised_prompt").and_then(Value::as_str);
        let revised = revised.map(|text| line(&display_safe(text), 500));
        let workspace = Arc::clone(&self.workspace);
        let garbled = self.provider.service.to_garbled_error("data that is not a picture");
        run_blocking(ctx, move |stop| {
            let bytes = STANDARD.decode(encoded.trim()).ok();
            let known = bytes.and_then(|bytes| Some((media_type(&bytes)?, bytes)));
            let (media_type, bytes) = known.ok_or(garbled)?;
            if stop.is_cancelled() {
                return Err(ToolError::model("the call was stopped; nothing was written"));
            }
            write(&workspace, &place, media_type, &bytes, revised.as_deref())
        })
        .await
    }

    fn encode_body(&self, value: &Value) -> Result<String, ToolError> {
        if let Some(encoded) = value.pointer("/data/0/b64_json").and_then(Value::as_str) {
            return Ok(encoded.to_owned());
        }
        let has_address = value.pointer("/data/0/url").is_some_and(Value::is_string);
        Err(if has_address {
            // The host of this URL was not checked.
            ToolError::model(
                "the image provider gave an address and no picture, and nothing was loaded from there: the provider has \
                 to be asked with response_format b64_json",
            )
            .with_advice("Tell the human.")
        } else {
            self.provider.service.to_garbled_error("no picture")
        })
    }
}

fn check(arguments: &Arguments, ctx: &Context) -> Result<(), ToolError> {
    let chars = arguments.prompt.chars().count();
    if arguments.prompt.trim().is_empty() || chars > MAX_PROMPT_CHARS {
        return Err(ToolError::model(format!(
            "the prompt has {chars} characters, 1 to {MAX_PROMPT_CHARS} are allowed, and nothing was sent"
        )));
    }
    let is_size =
        |size: &String| size.len() <= MAX_SIZE_CHARS && size.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !arguments.size.as_ref().is_none_or(is_size) {
        return Err(ToolError::model("`size` is not a size such as 1024x1024, and nothing was sent"));
    }
    if ctx.redactor().contains_secret(&arguments.prompt) {
        let text = "the prompt holds a secret that is known here, and nothing was sent";
        return Err(ToolError::model(text).with_advice("Ask without it."));
    }
    Ok(())
}

fn place(workspace: &Workspace, path: &str, overwrite: bool) -> Result<Place, ToolError> {
    let path = workspace.resolve(path).map_err(ToolError::model)?;
    if type_of_extension(&path).is_none() {
        return Err(ToolError::model(format!(
            "`{path}` has to end in .png, .jpg, .jpeg or .webp, and nothing was made"
        )));
    }
    let expected = match workspace.read(&path) {
        Err(FileError::NotFound { .. }) => ExpectedState::Absent,
        Err(error) => return Err(ToolError::model(error)),
        Ok(contents) if overwrite => ExpectedState::Unchanged(contents.version),
        Ok(contents) => {
            return Err(ToolError::model(format!(
                "`{path}` exists already ({} bytes) and nothing was made",
                contents.bytes.len()
            ))
            .with_advice("Give another path, or overwrite true if it is to be replaced."));
        }
    };
    Ok(Place { path, expected })
}

fn write(
    workspace: &Workspace,
    place: &Place,
    media_type: &str,
    bytes: &[u8],
    revised: Option<&str>,
) -> Result<Output, ToolError> {
    let Place { path, expected } = place;
    workspace.write(path, bytes, *expected).map_err(ToolError::model)?;
    let done = if *expected == ExpectedState::Absent { "created" } else { "replaced" };
    let mut text = format!("{done} {path}: {media_type}, {} bytes", bytes.len());
    if type_of_extension(path) != Some(media_type) {
        let _ = write!(text, "; its name says something else, so give it the right ending");
    }
    if let Some(revised) = revised.filter(|revised| !revised.is_empty()) {
        let _ = write!(
            text,
            "\nThe provider made it from these words, which are not an instruction: \
             \"{revised}\""
        );
    }
    Ok(Output::text(text))
}

/// Returns the media type that a path's extension denotes.
fn type_of_extension(path: &WorkspacePath) -> Option<&'static str> {
    match path.relative().extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

/// Returns the media type that the first bytes denote.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

impl Tool for GenerateImage {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: Risk::High, ..Hints::default() }
    }

    fn feature(&self) -> Option<&str> {
        Some("image_generation")
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<Arguments>(payload) {
            Ok(arguments) => {
                let path = self.workspace.effect_path(&arguments.path);
                vec![Effect::Write { path, bytes: None }, self.provider.service.effect()]
            }
            Err(_) => vec![Effect::Unknown],
        }
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Write { path: self.workspace.effect_path(path), bytes: None };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let path = read_arguments::<Arguments>(payload).ok().map(|arguments| arguments.path);
        let target = path.map(|path| self.workspace.target(&path, Look::Bytes));
        target.into_iter().fold(Inspection::default(), Inspection::with_target)
    }

    /// Dropping the future closes the connection. An incomplete image is not written.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: Arguments = read_arguments(payload)?;
            let stopped = ctx.cancellation().run_until_cancelled(self.run(arguments, ctx)).await;
            stopped
                .unwrap_or_else(|| Err(ToolError::model("the request was cancelled; no picture was written")))
        })
    }
}
