//! Counts of code, comment and blank lines.

use std::ops::AddAssign;

use crate::language::Comments;

const CODE: u8 = 1;
const COMMENT: u8 = 2;

/// Numbers of lines, by kind. A line with both code and comment counts as code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineCounts {
    /// All lines.
    pub total: usize,
    /// Lines with code.
    pub code: usize,
    /// Lines with a comment only.
    pub comment: usize,
    /// Lines with white space only.
    pub blank: usize,
}

impl AddAssign for LineCounts {
    fn add_assign(&mut self, other: Self) {
        self.total = self.total.saturating_add(other.total);
        self.code = self.code.saturating_add(other.code);
        self.comment = self.comment.saturating_add(other.comment);
        self.blank = self.blank.saturating_add(other.blank);
    }
}

/// Flags of each line of a parsed file.
pub(super) struct LineMarks {
    marks: Vec<u8>,
}

impl LineMarks {
    pub(super) fn new(source: &[u8]) -> Self {
        Self { marks: vec![0; lines_of(source).count()] }
    }

    /// Flags the lines from `first` to `last`, inclusive and from 0, as containing code or comment.
    pub(super) fn mark(&mut self, first: usize, last: usize, is_comment: bool) {
        let mark = if is_comment { COMMENT } else { CODE };
        for line in self.marks.iter_mut().take(last.saturating_add(1)).skip(first) {
            *line |= mark;
        }
    }

    pub(super) fn count(&self, source: &[u8]) -> LineCounts {
        let mut counts = LineCounts::default();
        for (line, mark) in lines_of(source).zip(&self.marks) {
            counts.push(line, mark & CODE == 0 && mark & COMMENT != 0);
        }
        counts
    }
}

impl LineCounts {
    fn push(&mut self, line: &[u8], is_comment: bool) {
        self.total = self.total.saturating_add(1);
        let kind = if line.trim_ascii().is_empty() {
            &mut self.blank
        } else if is_comment {
            &mut self.comment
        } else {
            &mut self.code
        };
        *kind = kind.saturating_add(1);
    }
}

/// Returns lines without their line ends. A line end at the end of the file does not start another line.
fn lines_of(source: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = source.strip_suffix(b"\n").unwrap_or(source);
    whole.split(|byte| *byte == b'\n').take(if source.is_empty() { 0 } else { usize::MAX })
}

/// Counts lines by their prefixes, for languages without a grammar.
pub(super) fn count_by_marks(source: &[u8], comments: Comments) -> LineCounts {
    let mut counts = LineCounts::default();
    let mut is_inside = false;
    for line in lines_of(source) {
        let text = line.trim_ascii();
        let begins = |mark: &str| text.starts_with(mark.as_bytes());
        let mut is_comment = is_inside || comments.line.iter().any(|mark| begins(mark));
        if let Some((open, close)) = comments.block {
            let opens = begins(open);
            is_comment |= opens;
            if is_inside || opens {
                let rest = if opens { text.get(open.len()..).unwrap_or_default() } else { text };
                let end = rest.windows(close.len()).position(|part| part == close.as_bytes());
                is_inside = end.is_none();
                // Code may follow the end of the comment.
                is_comment = end.is_none_or(|end| end.saturating_add(close.len()) >= rest.len());
            }
        }
        counts.push(line, is_comment);
    }
    counts
}
