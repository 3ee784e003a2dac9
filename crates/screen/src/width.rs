//! Text at the width of a terminal: measuring, cutting and wrapping by grapheme clusters.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Returns the columns of a text: the sum of the widths of its grapheme clusters, as terminals display them.
///
/// ```
/// use windlass_screen::text_width;
/// assert_eq!(text_width("größe"), 5);
/// assert_eq!(text_width("日本"), 4);
/// assert_eq!(text_width("👨\u{200d}👩\u{200d}👧"), 2);
/// ```
pub fn text_width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

fn grapheme_width(grapheme: &str) -> usize {
    // A cluster is never wider than two columns: terminals display its first glyph, joined or not.
    grapheme.width().min(2)
}

/// Returns a text that is at most `columns` wide. A longer text ends with `…`.
///
/// ```
/// use windlass_screen::cut;
/// assert_eq!(cut("a long line", 6), "a lon…");
/// assert_eq!(cut("日本語", 4), "日…");
/// assert_eq!(cut("short", 6), "short");
/// ```
pub fn cut(text: &str, columns: usize) -> String {
    if text_width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let (mut shortened, mut used) = (String::new(), 0_usize);
    for grapheme in text.graphemes(true) {
        used = used.saturating_add(grapheme_width(grapheme));
        if used > room {
            break;
        }
        shortened.push_str(grapheme);
    }
    if columns > 0 {
        shortened.push('…');
    }
    shortened
}

/// Like [`cut`], but keeps the end of the text, which is the more important part of a path.
///
/// ```
/// use windlass_screen::cut_start;
/// assert_eq!(cut_start("a/long/path.rs", 8), "…path.rs");
/// ```
pub fn cut_start(text: &str, columns: usize) -> String {
    if text_width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let (mut from, mut used) = (text.len(), 0_usize);
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used = used.saturating_add(grapheme_width(grapheme));
        if used > room {
            break;
        }
        from = at;
    }
    let end = text.get(from..).unwrap_or_default();
    if columns > 0 { format!("…{end}") } else { String::new() }
}

/// Wraps a line between words, or inside of words that are too long. Each later line begins with `indent`.
///
/// Spaces at a break are removed. Wide characters, such as those of Chinese and Japanese, can be separated without a
/// space. A grapheme cluster is never separated.
pub fn wrap_line(line: &Line<'static>, columns: usize, indent: &Line<'static>) -> Vec<Line<'static>> {
    if line.spans.iter().map(|span| text_width(&span.content)).sum::<usize>() <= columns {
        return vec![line.clone()];
    }
    let mut wrapper = Wrapper::new(columns, indent);
    for span in &line.spans {
        for word in span.content.split_word_bounds() {
            if word.chars().all(|character| character == ' ') {
                wrapper.push_spaces(word, span.style);
            } else {
                wrapper.push_word(word, span.style);
            }
        }
    }
    wrapper.finish(line.style)
}

/// Wraps the lines of a text between words. The rest of a line begins two columns right of its beginning.
///
/// A line with several spaces in a row or with a tab stays as it is, for the terminal to break: its spaces can be
/// significant, and a break between words removes them.
///
/// ```
/// use windlass_screen::wrap_text;
/// assert_eq!(wrap_text("  yes for this session\nno\n", 16), "  yes for this\n    session\nno\n");
/// assert_eq!(wrap_text("a  table with columns", 8), "a  table with columns");
/// ```
pub fn wrap_text(text: &str, columns: usize) -> String {
    let mut wrapped = String::with_capacity(text.len());
    for row in text.split_inclusive('\n') {
        let line = row.trim_end_matches('\n');
        let words = line.trim_matches(' ');
        if text_width(line.trim_end()) <= columns || words.contains("  ") || words.contains('\t') {
            wrapped.push_str(row);
            continue;
        }
        let begin = line.trim_end_matches(' ');
        let indent = begin.len().saturating_sub(words.len()).saturating_add(2);
        let rows = wrap_line(&Line::from(begin.to_owned()), columns, &Line::from(" ".repeat(indent)));
        let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
        wrapped.push_str(&rows.join("\n"));
        // The spaces at the end of a question separate it from the answer.
        wrapped.push_str(row.get(begin.len()..).unwrap_or_default());
    }
    wrapped
}

/// Wraps a line at exactly `columns`, without regard to words: for code, whose spaces matter.
pub(crate) fn wrap_hard(line: &Line<'static>, columns: usize, indent: &Line<'static>) -> Vec<Line<'static>> {
    if line.spans.iter().map(|span| text_width(&span.content)).sum::<usize>() <= columns {
        return vec![line.clone()];
    }
    let mut wrapper = Wrapper::new(columns, indent);
    for span in &line.spans {
        wrapper.push_graphemes(&span.content, span.style);
    }
    wrapper.finish(line.style)
}

/// The lines of a paragraph so far. Words that touch each other without a space stay together.
#[derive(Debug)]
struct Wrapper {
    columns: usize,
    indent: Line<'static>,
    indent_width: usize,
    lines: Vec<Line<'static>>,
    spans: Vec<Span<'static>>,
    used: usize,
    /// True until the current line has a word.
    is_fresh: bool,
    /// The word that is not placed yet: pieces of it can have several styles.
    word: Vec<Span<'static>>,
    word_width: usize,
    /// Spaces between the last placed word and the pending one. They can have several styles, too.
    spaces: Vec<Span<'static>>,
}

impl Wrapper {
    fn new(columns: usize, indent: &Line<'static>) -> Self {
        let indent_width: usize = indent.spans.iter().map(|span| text_width(&span.content)).sum();
        // A wider indent would leave no room for words.
        let keeps_indent = indent_width <= columns / 2;
        Self {
            columns: columns.max(2),
            indent: if keeps_indent { indent.clone() } else { Line::default() },
            indent_width: if keeps_indent { indent_width } else { 0 },
            lines: Vec::new(),
            spans: Vec::new(),
            used: 0,
            is_fresh: true,
            word: Vec::new(),
            word_width: 0,
            spaces: Vec::new(),
        }
    }

    fn push_spaces(&mut self, spaces: &str, style: Style) {
        self.place_word();
        push_styled(&mut self.spaces, spaces, style);
    }

    fn push_word(&mut self, word: &str, style: Style) {
        let width = text_width(word);
        let is_wide = width > word.chars().count();
        if is_wide {
            self.place_word();
        }
        self.word_width = self.word_width.saturating_add(width);
        push_styled(&mut self.word, word, style);
        if is_wide {
            self.place_word();
        }
    }

    /// Places the pending word on this line or, if it does not fit, on the next one.
    fn place_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let (word, width) = (std::mem::take(&mut self.word), std::mem::take(&mut self.word_width));
        let spaces = std::mem::take(&mut self.spaces);
        let gap: usize = spaces.iter().map(|span| span.content.len()).sum();
        let fits = self.used.saturating_add(gap).saturating_add(width) <= self.columns;
        if fits {
            self.used = self.used.saturating_add(gap);
            self.spans.extend(spaces);
        } else if !self.is_fresh {
            self.break_line();
        } else {
            for span in spaces {
                self.push_graphemes(&span.content, span.style);
            }
        }
        if self.used.saturating_add(width) <= self.columns {
            self.used = self.used.saturating_add(width);
            self.spans.extend(word);
            self.is_fresh = false;
            return;
        }
        for piece in word {
            self.push_graphemes(&piece.content, piece.style);
        }
    }

    fn push_graphemes(&mut self, text: &str, style: Style) {
        let mut piece = String::new();
        for grapheme in text.graphemes(true) {
            let width = grapheme_width(grapheme);
            if self.used.saturating_add(width) > self.columns {
                self.push_piece(&mut piece, style);
                self.break_line();
            }
            self.used = self.used.saturating_add(width);
            self.is_fresh = false;
            piece.push_str(grapheme);
        }
        self.push_piece(&mut piece, style);
    }

    fn push_piece(&mut self, piece: &mut String, style: Style) {
        if !piece.is_empty() {
            self.spans.push(Span::styled(std::mem::take(piece), style));
        }
    }

    fn break_line(&mut self) {
        let spans = std::mem::replace(&mut self.spans, self.indent.spans.clone());
        self.lines.push(Line::from(spans));
        self.used = self.indent_width;
        self.is_fresh = true;
    }

    fn finish(mut self, style: Style) -> Vec<Line<'static>> {
        self.place_word();
        if self.lines.is_empty() || !self.is_fresh {
            self.lines.push(Line::from(std::mem::take(&mut self.spans)));
        }
        for line in &mut self.lines {
            line.style = style;
        }
        self.lines
    }
}

/// Appends a text to the last span if it has the same style, and as a span of its own otherwise.
fn push_styled(spans: &mut Vec<Span<'static>>, text: &str, style: Style) {
    match spans.last_mut() {
        Some(last) if last.style == style => last.content.to_mut().push_str(text),
        _ => spans.push(Span::styled(text.to_owned(), style)),
    }
}
