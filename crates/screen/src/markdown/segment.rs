//! Division of Markdown into blocks that are final, line by line.

/// Longest block in bytes. A longer one is divided after a line.
const MAX_BLOCK: usize = 64 * 1024;

/// Kind of a final piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentKind {
    /// A block other than the following ones.
    Block,
    /// An item of a list that is not inside of another block.
    Item {
        /// True for the first item of a list.
        starts_list: bool,
    },
    /// The first line of a fenced block. The text is its info string.
    Fence,
    /// A line of a fenced block, without its line feed.
    CodeLine,
    /// The end of a fenced block.
    FenceEnd,
}

/// Final piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) kind: SegmentKind,
    pub(super) text: String,
}

/// A fenced block that is open.
#[derive(Clone, Copy, Debug)]
struct OpenFence {
    character: char,
    length: usize,
    indent: usize,
}

/// The list of the open item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct List {
    /// Column of the content of the open item.
    content: usize,
    marker: char,
}

/// Divides a text into pieces. Each decision depends on complete lines only, so the pieces do not depend on the
/// division of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Segmenter {
    /// The text of the open block.
    open: String,
    fence: Option<OpenFence>,
    list: Option<List>,
    /// True if the open item is the first one of its list.
    starts_list: bool,
    /// True if the last line is empty.
    is_after_blank: bool,
}

impl Segmenter {
    /// Returns the text of the open block.
    pub(super) fn open_text(&self) -> &str {
        &self.open
    }

    /// Reads a line with its line feed; the last line of a text can be without one.
    pub(super) fn push_line(&mut self, line: &str, segments: &mut Vec<Segment>) {
        let text = line.trim_end_matches(['\n', '\r']);
        if let Some(fence) = self.fence {
            if closes(text, fence) {
                self.fence = None;
                push(segments, SegmentKind::FenceEnd, "");
            } else {
                push(segments, SegmentKind::CodeLine, remove_indent(text, fence.indent));
            }
            return;
        }
        let expanded = expand_indent(line);
        let line = expanded.as_deref().unwrap_or(line);
        let text = line.trim_end_matches(['\n', '\r']);
        let indent = indent_of(text);
        if text.trim().is_empty() {
            self.push_blank(line, segments);
            return;
        }
        if let Some(list) = self.list
            && self.push_in_list(line, text, indent, list, segments)
        {
            return;
        }
        if let Some((fence, info)) = opening_fence(text, indent) {
            self.close(segments);
            self.fence = Some(fence);
            push(segments, SegmentKind::Fence, info);
        } else if let Some(list) = list_marker(text, indent).filter(|_| self.can_begin_list(text)) {
            self.close(segments);
            self.list = Some(list);
            self.starts_list = true;
            self.open.push_str(line);
        } else {
            if self.is_after_blank || is_heading(text, indent) {
                self.close(segments);
            }
            self.append(line, segments);
            if is_heading(text, indent) {
                self.close(segments);
            }
        }
        self.is_after_blank = false;
    }

    /// Ends the text.
    pub(super) fn finish(&mut self, segments: &mut Vec<Segment>) {
        self.close(segments);
        if self.fence.take().is_some() {
            push(segments, SegmentKind::FenceEnd, "");
        }
    }

    fn push_blank(&mut self, line: &str, segments: &mut Vec<Segment>) {
        self.is_after_blank = true;
        if self.list.is_some() {
            self.append(line, segments);
        } else {
            self.close(segments);
        }
    }

    /// Reads a line after the beginning of a list. Returns false if the line ends the list.
    fn push_in_list(
        &mut self,
        line: &str,
        text: &str,
        indent: usize,
        list: List,
        segments: &mut Vec<Segment>,
    ) -> bool {
        if indent >= list.content {
            self.append(line, segments);
            self.is_after_blank = false;
            return true;
        }
        match list_marker(text, indent) {
            Some(next) if next.marker == list.marker => {
                self.close_block(segments);
                self.list = Some(next);
                self.starts_list = false;
                self.open.push_str(line);
                self.is_after_blank = false;
                true
            }
            None if !self.is_after_blank
                && opening_fence(text, indent).is_none()
                && !is_heading(text, indent)
                && !is_rule(text) =>
            {
                // A lazy continuation of the item's paragraph.
                self.append(line, segments);
                true
            }
            _ => {
                self.close(segments);
                false
            }
        }
    }

    /// Returns whether a line with a marker begins a list here: inside of a paragraph only a bullet or the number 1
    /// does, and not in a table or a quote.
    fn can_begin_list(&self, text: &str) -> bool {
        let (marker, rest) = text.trim().split_once([' ', '\t']).unwrap_or_default();
        self.open.is_empty() || (!rest.is_empty() && (marker.len() == 1 || matches!(marker, "1." | "1)")))
    }

    fn append(&mut self, line: &str, segments: &mut Vec<Segment>) {
        if self.open.len().saturating_add(line.len()) > MAX_BLOCK && !self.open.is_empty() {
            self.close_block(segments);
            self.list = None;
        }
        self.open.push_str(line);
    }

    /// Ends the open block and its list.
    fn close(&mut self, segments: &mut Vec<Segment>) {
        self.close_block(segments);
        self.list = None;
        self.is_after_blank = false;
    }

    fn close_block(&mut self, segments: &mut Vec<Segment>) {
        let open = std::mem::take(&mut self.open);
        if open.trim().is_empty() {
            return;
        }
        let kind = match self.list {
            Some(_) => SegmentKind::Item { starts_list: self.starts_list },
            None => SegmentKind::Block,
        };
        segments.push(Segment { kind, text: open });
    }
}

fn push(segments: &mut Vec<Segment>, kind: SegmentKind, text: &str) {
    segments.push(Segment { kind, text: text.to_owned() });
}

/// Returns a line whose indent has spaces instead of tabs, or `None` if it has no tabs.
fn expand_indent(line: &str) -> Option<String> {
    let body = line.trim_start_matches([' ', '\t']);
    let indent = line.get(..line.len().saturating_sub(body.len()))?;
    if !indent.contains('\t') {
        return None;
    }
    let width = indent.bytes().fold(0_usize, |width, byte| {
        if byte == b'\t' { (width / 4).saturating_add(1).saturating_mul(4) } else { width.saturating_add(1) }
    });
    Some(" ".repeat(width) + body)
}

fn indent_of(text: &str) -> usize {
    text.len().saturating_sub(text.trim_start_matches(' ').len())
}

fn remove_indent(text: &str, indent: usize) -> &str {
    text.get(indent_of(text).min(indent)..).unwrap_or(text)
}

/// Returns the fence that a line opens, and its info string (`CommonMark` 0.31.2, section 4.5).
fn opening_fence(text: &str, indent: usize) -> Option<(OpenFence, &str)> {
    let body = text.trim_start();
    let character = body.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let info = body.trim_start_matches(character);
    let length = body.len().saturating_sub(info.len());
    let is_fence = indent <= 3 && length >= 3 && !(character == '`' && info.contains('`'));
    is_fence.then_some((OpenFence { character, length, indent }, info))
}

fn closes(text: &str, fence: OpenFence) -> bool {
    let body = text.trim();
    indent_of(text) <= 3 && body.len() >= fence.length && body.chars().all(|it| it == fence.character)
}

fn is_heading(text: &str, indent: usize) -> bool {
    let body = text.trim_start();
    let level = body.len().saturating_sub(body.trim_start_matches('#').len());
    let rest = body.get(level..).unwrap_or_default();
    indent <= 3 && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Returns whether a line is a thematic break.
fn is_rule(text: &str) -> bool {
    let mut characters = text.chars().filter(|character| !character.is_whitespace());
    let Some(first) = characters.next().filter(|first| matches!(first, '*' | '-' | '_')) else {
        return false;
    };
    let mut count = 1_usize;
    characters.all(|character| {
        count = count.saturating_add(1);
        character == first
    }) && count >= 3
}

/// Returns the list whose item a line begins (`CommonMark` 0.31.2, section 5.2).
fn list_marker(text: &str, indent: usize) -> Option<List> {
    if indent > 3 || is_rule(text) {
        return None;
    }
    let body = text.trim_start();
    let digits = body.len().saturating_sub(body.trim_start_matches(|it: char| it.is_ascii_digit()).len());
    let marker = body.chars().nth(digits)?;
    let is_marker = if digits == 0 {
        matches!(marker, '-' | '*' | '+')
    } else {
        digits <= 9 && matches!(marker, '.' | ')')
    };
    let rest = body.get(digits.saturating_add(1)..).filter(|_| is_marker)?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let spaces = indent_of(rest);
    // Content that is indented further, or an empty first line, begins one column after the marker.
    let gap = if rest.trim().is_empty() || spaces > 4 { 1 } else { spaces.max(1) };
    Some(List { content: indent.saturating_add(digits).saturating_add(1).saturating_add(gap), marker })
}
