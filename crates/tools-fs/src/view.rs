//! One file as a model is shown it: a page of its lines, a block, the text of a notebook, or a picture.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use windlass_protocol::Image;
use windlass_redact::Redactor;
use windlass_sandbox::{Contents, FileError, Workspace, WorkspacePath};
use windlass_text::{NotText, Text};
use windlass_tool::ToolError;

use crate::block::BlockOptions;
use crate::blocking::told;
use crate::image::{MAX_IMAGE_BYTES, media_type};
use crate::page::{Page, Span};
use crate::{large, notebook};

/// Which lines of a file are wanted.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// So many lines from one on.
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

/// How a file is to be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) wanted: &'a Wanted,
    /// Whether a format is shown as the text that it is written in.
    pub(crate) raw: bool,
    /// How many bytes may be shown.
    pub(crate) room: usize,
    pub(crate) redactor: &'a Redactor,
}

/// What is shown of a file.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) text: String,
    pub(crate) image: Option<Image>,
}

impl From<String> for View {
    fn from(text: String) -> Self {
        Self { text, image: None }
    }
}

pub(crate) fn view(workspace: &Workspace, path: &str, asked: Asked<'_>) -> Result<View, ToolError> {
    let path = workspace.resolve(path).map_err(told)?;
    let contents = match workspace.read(&path) {
        Err(FileError::TooLarge { .. }) => return long(workspace, &path, asked),
        contents => contents.map_err(told)?,
    };
    let shown = path.to_string();
    if let Some(media_type) = media_type(&contents.bytes) {
        return picture(&shown, media_type, &contents);
    }
    if path.is_output() {
        // A command may print anything; what cannot be shown is replaced.
        return asked.page(&shown, &String::from_utf8_lossy(&contents.bytes), "").map(View::from);
    }
    if shown.to_ascii_lowercase().ends_with(".ipynb")
        && !asked.raw
        && let Some(text) = notebook::text(&contents.bytes)
    {
        let note = " of the notebook's text; for the file itself say raw";
        return asked.page(&shown, &text, note).map(View::from);
    }
    #[cfg(feature = "docx")]
    if shown.to_ascii_lowercase().ends_with(".docx")
        && let Some(text) = crate::docx::text(&contents.bytes)
    {
        let note = " of the document's paragraphs and tables, without headers and notes";
        return asked.page(&shown, &text, note).map(View::from);
    }
    let text = Text::show(&contents.bytes).map_err(|error| refused(&shown, &contents.bytes, error))?;
    let note = match (text.charset.as_str(), text.is_sure) {
        ("UTF-8", _) => String::new(),
        (charset, true) => format!(", encoding {charset}"),
        (charset, false) => format!(", encoding probably {charset}"),
    };
    let page = asked.page(&shown, &text.text, &note)?;
    workspace.remember(&contents.path, contents.version);
    Ok(page.into())
}

impl Asked<'_> {
    fn page(self, name: &str, text: &str, note: &str) -> Result<String, ToolError> {
        let Self { wanted, redactor, room, .. } = self;
        let page = |spans: &[Span], note: &str| Page { name, text, note, redactor, room }.of(spans);
        match wanted {
            Wanted::Slice { first, limit } => {
                page(&[(*first, first.saturating_add(limit.saturating_sub(1)))], note)
            }
            Wanted::Spans(spans) => page(spans, note),
            Wanted::Block { anchor, options } => {
                let span = options.block(text, *anchor)?;
                page(&[span], &format!("{note}, the block around line {anchor}"))
            }
        }
    }
}

/// A file that is too long to be held has pages only.
fn long(workspace: &Workspace, path: &WorkspacePath, asked: Asked<'_>) -> Result<View, ToolError> {
    let (first, limit) = match asked.wanted {
        Wanted::Slice { first, limit } => (*first, *limit),
        Wanted::Spans(spans) if let [(first, last)] = spans.as_slice() => (*first, last - first + 1),
        Wanted::Spans(_) | Wanted::Block { .. } => {
            return Err(ToolError::model(format!(
                "`{path}` is too long to be held; read it in pages, with offset and limit"
            )));
        }
    };
    let stream = workspace.stream(path).map_err(told)?;
    large::page(&path.to_string(), stream, (first, limit), asked).map(View::from)
}

fn picture(path: &str, media_type: &str, contents: &Contents) -> Result<View, ToolError> {
    let len = contents.bytes.len();
    if len > MAX_IMAGE_BYTES {
        return Err(ToolError::model(format!(
            "`{path}` is a picture ({media_type}) of {len} bytes, at most {MAX_IMAGE_BYTES} can be shown; make it smaller first"
        )));
    }
    let image = Image::base64(media_type, STANDARD.encode(&contents.bytes));
    Ok(View { text: format!("{path}: a picture ({media_type}), {len} bytes"), image: Some(image) })
}

/// Says what a file is that is no text, and which command reads it.
fn refused(path: &str, bytes: &[u8], error: NotText) -> ToolError {
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
            return ToolError::model(format!(
                "`{path}` is a binary file of {len} bytes and is not shown; use a command that understands its format"
            ));
        }
        _ => {
            return ToolError::model(format!(
                "`{path}` is {error} and is not shown; convert it with a command first"
            ));
        }
    };
    ToolError::model(format!("`{path}` is {what} of {len} bytes and is not shown; run {how} instead"))
}
