//! Markdown as lines, while it arrives.

mod block;
mod inline;
mod segment;
mod table;

use ratatui_core::text::Line;

use self::block::render_block;
use self::segment::{Segment, SegmentKind, Segmenter};
use crate::code::{CodeStream, Language};
use crate::options::RenderOptions;
use crate::theme::Role;

/// Longest text that [`MarkdownStream::tail`] parses, in bytes. Of a longer one it renders the end.
const TAIL_BYTES: usize = 8 * 1024;

/// Renderer of Markdown that arrives in pieces.
///
/// [`push`](Self::push) returns lines that are final: later text never changes them, so they can go to the scrollback
/// of a terminal. [`tail`](Self::tail) renders the rest, which later text can change. The final lines do not depend on
/// the division into pieces, and the work is proportional to the text.
///
/// A final piece is a paragraph, a heading, an item of a list, a table, a quote, or a line of a fenced block. The blocks
/// are parsed separately; therefore a definition of a link (`[a]: https://…`) has no effect, and is displayed.
///
/// ```
/// use windlass_screen::{MarkdownStream, RenderOptions, Theme};
///
/// let mut stream = MarkdownStream::new(&RenderOptions::new(40, Theme::default()));
/// assert!(stream.push("# A title\n\nSome *wor").iter().map(ToString::to_string).eq(["A title"]));
/// assert_eq!(stream.tail()[1].to_string(), "Some *wor");
/// assert!(stream.push("ds*\n").is_empty());
/// assert_eq!(stream.finish()[1].to_string(), "Some words");
/// ```
#[derive(Clone, Debug)]
pub struct MarkdownStream {
    options: RenderOptions,
    /// Text after the last complete line.
    partial: String,
    segmenter: Segmenter,
    state: State,
}

/// State that following blocks need.
#[derive(Clone, Debug, Default)]
struct State {
    /// Kind of the last block; `None` before the first one.
    last: Option<SegmentKind>,
    /// Number of the next item of an ordered list.
    number: Option<u64>,
    /// The fenced block that is open.
    code: Option<CodeStream>,
}

impl MarkdownStream {
    /// Creates a renderer.
    pub fn new(options: &RenderOptions) -> Self {
        Self {
            options: *options,
            partial: String::new(),
            segmenter: Segmenter::default(),
            state: State::default(),
        }
    }

    /// Changes the width of lines that are not final yet.
    pub fn set_columns(&mut self, columns: usize) {
        self.options = RenderOptions::new(columns, self.options.theme);
    }

    /// Appends text, and returns the lines that are final now.
    pub fn push(&mut self, text: &str) -> Vec<Line<'static>> {
        let mut segments = Vec::new();
        for piece in text.split_inclusive('\n') {
            if !piece.ends_with('\n') {
                self.partial.push_str(piece);
            } else if self.partial.is_empty() {
                self.segmenter.push_line(piece, &mut segments);
            } else {
                self.partial.push_str(piece);
                let line = std::mem::take(&mut self.partial);
                self.segmenter.push_line(&line, &mut segments);
            }
        }
        self.render(&segments)
    }

    /// Returns the lines that are not final. Its work is bounded: of a long text only the end is rendered.
    pub fn tail(&self) -> Vec<Line<'static>> {
        let open = self.segmenter.open_text();
        if open.len().saturating_add(self.partial.len()) > TAIL_BYTES {
            let text = if self.partial.len() >= TAIL_BYTES { &self.partial } else { open };
            let from = text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES));
            return crate::render_text(text.get(from..).unwrap_or_default(), Role::Words, &self.options);
        }
        self.clone().finish()
    }

    /// Returns the lines of the rest. The renderer can be used for the next text.
    pub fn finish(&mut self) -> Vec<Line<'static>> {
        let mut segments = Vec::new();
        let partial = std::mem::take(&mut self.partial);
        if !partial.is_empty() {
            self.segmenter.push_line(&partial, &mut segments);
        }
        self.segmenter.finish(&mut segments);
        let lines = self.render(&segments);
        self.segmenter = Segmenter::default();
        self.state = State::default();
        lines
    }

    fn render(&mut self, segments: &[Segment]) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for segment in segments {
            self.state.render(segment, self.options, &mut lines);
        }
        lines
    }
}

impl State {
    fn render(&mut self, segment: &Segment, options: RenderOptions, lines: &mut Vec<Line<'static>>) {
        let inner = options.indent(2);
        match segment.kind {
            SegmentKind::Fence => {
                self.begin(segment.kind, lines);
                let name = segment.text.trim();
                if !name.is_empty() {
                    lines.push(Line::from(
                        options.span(Role::Faint, crate::cut(&crate::escape_line(name), options.columns)),
                    ));
                }
                let name = name.split([' ', ',', '{']).next().unwrap_or_default();
                self.code = Some(CodeStream::new(Language::from_name(name)));
            }
            SegmentKind::CodeLine => {
                if let Some(code) = &mut self.code {
                    push_code(code.push_line(&segment.text, &inner), lines);
                }
            }
            SegmentKind::FenceEnd => {
                if let Some(mut code) = self.code.take() {
                    push_code(code.finish(&inner), lines);
                }
            }
            SegmentKind::Block => {
                self.begin(segment.kind, lines);
                lines.extend(render_block(&segment.text, None, options));
            }
            SegmentKind::Item { starts_list } => {
                self.begin(segment.kind, lines);
                if starts_list {
                    self.number = None;
                }
                let number = self.number.or_else(|| item_number(&segment.text));
                lines.extend(render_block(&segment.text, number, options));
                self.number = number.map(|number| number.saturating_add(1));
            }
        }
    }

    /// Separates a block from the one before it by an empty line, except items of one list.
    fn begin(&mut self, kind: SegmentKind, lines: &mut Vec<Line<'static>>) {
        let continues_list = kind == SegmentKind::Item { starts_list: false };
        if self.last.is_some() && !continues_list {
            lines.push(Line::default());
        }
        self.last = Some(kind);
    }
}

fn push_code(code: Vec<Line<'static>>, lines: &mut Vec<Line<'static>>) {
    lines.extend(crate::line::add_prefix(&"  ".into(), code));
}

/// Returns the number before an item of an ordered list.
fn item_number(text: &str) -> Option<u64> {
    let digits = text.trim_start();
    let end = digits.find(|character: char| !character.is_ascii_digit())?;
    digits.get(..end)?.parse().ok()
}

/// Renders a whole Markdown text.
///
/// ```
/// use windlass_screen::{RenderOptions, Theme, render_markdown};
///
/// let lines = render_markdown("1. one\n2. [two](https://a.example)", &RenderOptions::new(60, Theme::default()));
/// let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
/// assert_eq!(text, ["1. one", "2. two (https://a.example)"]);
/// ```
pub fn render_markdown(text: &str, options: &RenderOptions) -> Vec<Line<'static>> {
    let mut stream = MarkdownStream::new(options);
    let mut lines = stream.push(text);
    lines.extend(stream.finish());
    lines
}
