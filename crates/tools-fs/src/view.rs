//! View of one file for a model: a page of lines, a block, the text of a notebook or document, or a picture.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use windlass_protocol::Image;
use windlass_redact::Redactor;
use windlass_sandbox::{Contents, EditorState, FileError, Workspace, WorkspacePath};
use windlass_text::{MAX_PICTURES_BYTES, NotText, Picture, PictureError, PictureFormat, Text};
use windlass_tool::{PathGate, ToolError};

use crate::block::BlockOptions;
use crate::page::{Page, Span};
use crate::spec::to_tool_error;
use crate::{large, notebook};

/// Lines of a file that a call requests.
#[derive(Clone, Debug)]
pub(crate) enum RequestedLines {
    /// `limit` lines from line `first` on.
    Slice {
        first: u64,
        limit: u64,
    },
    Spans(Vec<Span>),
    /// The block around a line.
    Block {
        anchor: usize,
        options: BlockOptions,
    },
}

/// Request for a view of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewRequest<'a> {
    pub(crate) wanted: &'a RequestedLines,
    /// True to show the source of a format instead of its text.
    pub(crate) raw: bool,
    /// Maximum size of the text, in bytes.
    pub(crate) room: usize,
    /// Maximum size of pictures, in bytes.
    pub(crate) pictures: usize,
    pub(crate) redactor: &'a Redactor,
    /// Policy for the real path of the file.
    pub(crate) gate: &'a PathGate,
}

/// View of a file.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) text: String,
    pub(crate) image: Option<Image>,
    /// Size of the picture's file, in bytes.
    pub(crate) picture_bytes: usize,
}

impl From<String> for View {
    fn from(text: String) -> Self {
        Self { text, image: None, picture_bytes: 0 }
    }
}

pub(crate) fn view(workspace: &Workspace, path: &str, asked: ViewRequest<'_>) -> Result<View, ToolError> {
    let path = workspace.resolve(path).map_err(to_tool_error)?;
    asked.check(workspace, &path)?;
    let in_editor = workspace.consult_editor(&path);
    let contents = match workspace.read(&path) {
        Err(FileError::TooLarge { .. }) => return long(workspace, &path, asked),
        contents => contents.map_err(to_tool_error)?,
    };
    asked.check_real(&contents.path)?;
    let shown = path.to_string();
    if PictureFormat::detect(&contents.bytes).is_some() {
        return picture(&shown, &contents, asked.pictures);
    }
    if path.is_output() {
        // A command may output any bytes; invalid ones are replaced.
        return asked.page(&shown, &String::from_utf8_lossy(&contents.bytes), "").map(View::from);
    }
    if shown.to_ascii_lowercase().ends_with(".ipynb")
        && !asked.raw
        && let Some(text) = notebook::text(&contents.bytes)
    {
        let note = " of the notebook's text; for the file itself set raw";
        return asked.page(&shown, &text, note).map(View::from);
    }
    #[cfg(feature = "docx")]
    if shown.to_ascii_lowercase().ends_with(".docx")
        && let Some(text) = crate::docx::text(&contents.bytes)
    {
        let note = " of the document's paragraphs and tables, without headers and notes";
        return asked.page(&shown, &text, note).map(View::from);
    }
    let text = Text::show(&contents.bytes).map_err(|error| refuse_binary(&shown, &contents.bytes, error))?;
    let mut note = match (text.charset.as_str(), text.is_sure) {
        ("UTF-8", _) => String::new(),
        (charset, true) => format!(", encoding {charset}"),
        (charset, false) => format!(", encoding probably {charset}"),
    };
    note.push_str(match in_editor {
        EditorState::Unsaved => ", with unsaved changes of the user's editor",
        EditorState::Unknown => {
            ", perhaps without unsaved changes of the user's editor, which is not asked while a process is running"
        }
        _ => "",
    });
    let page = asked.page(&shown, &text.text, &note)?;
    workspace.remember(&contents.path, contents.version);
    Ok(page.into())
}

impl<'a> ViewRequest<'a> {
    pub(crate) fn new(
        wanted: &'a RequestedLines,
        raw: bool,
        room: usize,
        (redactor, gate): (&'a Redactor, &'a PathGate),
    ) -> Self {
        Self { wanted, raw, room, pictures: MAX_PICTURES_BYTES, redactor, gate }
    }

    /// Checks the real path again, because a link may have changed since the decision.
    fn check(&self, workspace: &Workspace, path: &WorkspacePath) -> Result<(), ToolError> {
        match workspace.real(path) {
            Ok(real) if !self.gate.is_open() => self.check_real(&real),
            _ => Ok(()),
        }
    }

    fn check_real(&self, real: &WorkspacePath) -> Result<(), ToolError> {
        if real.is_output() || self.gate.is_open() || self.gate.shows(&real.plain()) {
            return Ok(());
        }
        Err(ToolError::model("a rule refuses to show this file; nothing was read"))
    }

    fn page(self, name: &str, text: &str, note: &str) -> Result<String, ToolError> {
        let Self { wanted, redactor, room, .. } = self;
        let page = |spans: &[Span], note: &str| Page { name, text, note, redactor, room }.render(spans);
        match wanted {
            RequestedLines::Slice { first, limit } => {
                page(&[(*first, first.saturating_add(limit.saturating_sub(1)))], note)
            }
            RequestedLines::Spans(spans) => page(spans, note),
            RequestedLines::Block { anchor, options } => {
                let span = options.block(text, *anchor)?;
                page(&[span], &format!("{note}, the block around line {anchor}"))
            }
        }
    }
}

/// Returns a page of a file that is too long to be loaded.
fn long(workspace: &Workspace, path: &WorkspacePath, asked: ViewRequest<'_>) -> Result<View, ToolError> {
    let (first, limit) = match asked.wanted {
        RequestedLines::Slice { first, limit } => (*first, *limit),
        RequestedLines::Spans(spans) if let [(first, last)] = spans.as_slice() => (*first, last - first + 1),
        RequestedLines::Spans(_) | RequestedLines::Block { .. } => {
            return Err(ToolError::model(format!("`{path}` is too long to be held"))
                .with_advice("Read it in pages, with offset and limit."));
        }
    };
    let stream = workspace.stream(path).map_err(to_tool_error)?;
    large::page(&path.to_string(), stream, (first, limit), asked).map(View::from)
}

fn picture(path: &str, contents: &Contents, room: usize) -> Result<View, ToolError> {
    let len = contents.bytes.len();
    let Picture { format, .. } = Picture::read(&contents.bytes).map_err(|error| {
        let advice = match error {
            PictureError::TooLarge { .. } => "Make it smaller first.",
            _ => "Look at it with a command, as `file FILE`.",
        };
        ToolError::model(format!("`{path}` {error}")).with_advice(advice)
    })?;
    if len > room {
        return Err(ToolError::model(format!(
            "`{path}` is a picture of {len} bytes, and the pictures of one call have at most {MAX_PICTURES_BYTES} together"
        ))
        .with_advice("Read it in a call of its own."));
    }
    let image = Image::base64(format.media_type(), STANDARD.encode(&contents.bytes));
    let text = format!("{path}: a picture ({format}), {len} bytes");
    Ok(View { text, image: Some(image), picture_bytes: len })
}

/// Returns an error that names the type of a file that is not text, and a command that reads it.
fn refuse_binary(path: &str, bytes: &[u8], error: NotText) -> ToolError {
    let len = bytes.len();
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let (what, how) = match (bytes, extension.as_str()) {
        ([b'%', b'P', b'D', b'F', b'-', ..], _) => ("a PDF", "`pdftotext -layout FILE -`"),
        ([b'P', b'K', ..], "docx") => {
            ("a Word document", "`pandoc -t plain FILE` or `unzip -p FILE word/document.xml`")
        }
        ([b'P', b'K', ..], "xlsx") => ("a workbook", "`unzip -p FILE xl/sharedStrings.xml`"),
        ([b'P', b'K', ..], _) => ("an archive", "`unzip -l FILE`"),
        ([0x1f, 0x8b, ..], _) => ("packed with gzip", "`zcat FILE`"),
        ([0x7f, b'E', b'L', b'F', ..], _) => ("a program", "`file FILE`"),
        _ if error == NotText::Binary => {
            return ToolError::model(format!("`{path}` is a binary file of {len} bytes and is not shown"))
                .with_advice("Use a command that understands its format.");
        }
        _ => {
            return ToolError::model(format!("`{path}` is {error} and is not shown"))
                .with_advice("Convert it with a command first.");
        }
    };
    ToolError::model(format!("`{path}` is {what} of {len} bytes and is not shown"))
        .with_advice(format!("Run {how} instead."))
}
