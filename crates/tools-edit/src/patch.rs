//! Parser for the text of a patch.

use windlass_protocol::ErrorText;

use crate::unwrap::unwrap;

/// Limits on one patch: bytes, files and hunks.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_FILES: usize = 200;
const MAX_HUNKS: usize = 2_000;

const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Section of a patch: the change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Add { path: String, text: String },
    Delete { path: String },
    Update { path: String, to: Option<String>, hunks: Vec<Hunk> },
}

/// Change at one place of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The line of the patch at which the hunk begins, counted from 1.
    pub(crate) number: usize,
    /// Lines above the place, from the outermost to the innermost.
    pub(crate) anchors: Vec<String>,
    /// The line number that the patch gives for the place, if it does.
    pub(crate) hint: Option<Hint>,
    pub(crate) lines: Vec<HunkLine>,
    /// True if the place is at the end of the file.
    pub(crate) at_end: bool,
}

/// Line of the file, counted from 1, that selects one of several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// The match has to begin at exactly this line.
    At(usize),
    /// The match that is clearly nearest to this line is selected.
    Near(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HunkLine {
    Keep(String),
    Remove(String),
    Add(String),
}

impl HunkLine {
    /// Returns the text that the file has to contain, or `None` for an added line.
    pub(crate) fn old(&self) -> Option<&str> {
        match self {
            Self::Keep(text) | Self::Remove(text) => Some(text),
            Self::Add(_) => None,
        }
    }
}

/// Error of a text that is not a valid patch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatchError {
    #[error("the patch has {0} bytes, at most {MAX_BYTES} are allowed")]
    TooLong(usize),
    #[error("the patch has to begin with the line `*** Begin Patch`")]
    NoBegin,
    #[error("the patch has to end with the line `*** End Patch`")]
    NoEnd,
    #[error("the patch has no file")]
    Empty,
    #[error("the patch has more than {MAX_FILES} files or {MAX_HUNKS} hunks")]
    TooMany,
    #[error("line {0} of the patch has no path")]
    NoPath(usize),
    #[error("line {0} of the patch is not a header")]
    Header(usize),
    #[error("line {0} of the patch begins with neither a space nor `+` nor `-`")]
    Line(usize),
    #[error("line {0} of the patch is inside a new file and does not begin with `+`")]
    Added(usize),
    #[error("the part of the patch at line {0} changes nothing")]
    Nothing(usize),
}

impl From<PatchError> for ErrorText {
    fn from(error: PatchError) -> Self {
        let advice = match error {
            PatchError::NoEnd => "Check whether the patch is cut.",
            PatchError::TooMany => "Make several patches of it.",
            PatchError::Header(_) => {
                "Write `*** Add File: PATH`, `*** Delete File: PATH` or `*** Update File: PATH`."
            }
            PatchError::Nothing(_) => "Give lines that begin with `+` or `-`.",
            PatchError::TooLong(_)
            | PatchError::NoBegin
            | PatchError::Empty
            | PatchError::NoPath(_)
            | PatchError::Line(_)
            | PatchError::Added(_) => return Self::new(error.to_string()),
        };
        Self::new(error.to_string()).with_advice(advice)
    }
}

/// Parses a patch into its sections.
pub(crate) fn parse(text: &str) -> Result<Vec<Section>, PatchError> {
    if text.len() > MAX_BYTES {
        return Err(PatchError::TooLong(text.len()));
    }
    let mut lines = Reader::new(unwrap(text)?);
    let mut sections = Vec::new();
    let mut hunks = 0_usize;
    while let Some((number, line)) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        let section = lines.section(number, line.trim())?;
        if let Section::Update { hunks: found, .. } = &section {
            hunks = hunks.saturating_add(found.len());
        }
        sections.push(section);
        if sections.len() > MAX_FILES || hunks > MAX_HUNKS {
            return Err(PatchError::TooMany);
        }
    }
    if sections.is_empty() { Err(PatchError::Empty) } else { Ok(sections) }
}

/// Reader for the lines of a patch and their numbers.
struct Reader<'t> {
    lines: Vec<&'t str>,
    next: usize,
    first_number: usize,
}

impl<'t> Reader<'t> {
    fn new((lines, first_number): (Vec<&'t str>, usize)) -> Self {
        Self { lines, next: 0, first_number }
    }

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let line = self.peek()?;
        let number = self.next.saturating_add(self.first_number);
        self.next = self.next.saturating_add(1);
        Some((number, line))
    }

    fn peek(&self) -> Option<&'t str> {
        self.lines.get(self.next).copied()
    }

    fn section(&mut self, number: usize, header: &str) -> Result<Section, PatchError> {
        let path = |rest: &str| match rest.trim() {
            "" => Err(PatchError::NoPath(number)),
            path => Ok(path.to_owned()),
        };
        if let Some(rest) = header.strip_prefix(ADD) {
            return Ok(Section::Add { path: path(rest)?, text: self.read_added()? });
        }
        if let Some(rest) = header.strip_prefix(DELETE) {
            return Ok(Section::Delete { path: path(rest)? });
        }
        let Some(rest) = header.strip_prefix(UPDATE) else { return Err(PatchError::Header(number)) };
        let path = path(rest)?;
        let to = self.read_move()?;
        let hunks = self.hunks()?;
        if hunks.is_empty() && to.is_none() {
            return Err(PatchError::Nothing(number));
        }
        Ok(Section::Update { path, to, hunks })
    }

    fn read_move(&mut self) -> Result<Option<String>, PatchError> {
        let Some(rest) = self.peek().and_then(|line| line.trim().strip_prefix(MOVE)) else { return Ok(None) };
        let to = rest.trim().to_owned();
        match self.next() {
            Some((number, _)) if to.is_empty() => Err(PatchError::NoPath(number)),
            _ => Ok(Some(to)),
        }
    }

    fn read_added(&mut self) -> Result<String, PatchError> {
        let mut text = String::new();
        while let Some(line) = self.peek().filter(|line| !is_header(line.trim())) {
            let Some((number, _)) = self.next() else { break };
            match line.strip_prefix('+') {
                Some(line) => {
                    text.push_str(line);
                    text.push('\n');
                }
                // A blank line between two sections belongs to neither.
                None if line.trim().is_empty() && self.peek().is_none_or(|next| is_header(next.trim())) => {}
                None => return Err(PatchError::Added(number)),
            }
        }
        Ok(text)
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>, PatchError> {
        self.skip_file_names();
        let mut hunks: Vec<Hunk> = Vec::new();
        let mut open: Option<Hunk> = None;
        // A header inside a hunk begins at the first column. After a space it is a line of the file.
        while let Some(line) = self.peek() {
            let at_rest = open.as_ref().is_none_or(|hunk| hunk.lines.is_empty());
            if is_header(if open.is_none() { line.trim() } else { line }) {
                break;
            }
            let Some((number, _)) = self.next() else { break };
            if let Some(rest) = line.strip_prefix("@@") {
                if !at_rest {
                    hunks.extend(open.take().map(Hunk::close).transpose()?);
                }
                open.get_or_insert_with(|| Hunk { number, ..Hunk::default() }).heads(rest);
            } else if line.trim_end() == END_OF_FILE {
                let mut hunk = open.take().ok_or(PatchError::Nothing(number))?;
                hunk.at_end = true;
                hunks.push(hunk.close()?);
            } else if open.is_some() || !line.trim().is_empty() {
                let hunk = open.get_or_insert_with(|| Hunk { number, ..Hunk::default() });
                hunk.lines.extend(hunk_line(line, number)?);
            }
        }
        hunks.extend(open.map(Hunk::close).transpose()?);
        Ok(hunks)
    }

    /// Skips the two file names of a unified diff, which repeat the header.
    fn skip_file_names(&mut self) {
        let second = self.next.checked_add(1).and_then(|next| self.lines.get(next));
        let starts = |line: Option<&&str>, mark| line.is_some_and(|line| line.starts_with(mark));
        if starts(self.lines.get(self.next), "--- ") && starts(second, "+++ ") {
            self.next = self.next.saturating_add(2);
        }
    }
}

fn is_header(line: &str) -> bool {
    line.starts_with("*** ") && line.trim_end() != END_OF_FILE
}

fn hunk_line(line: &str, number: usize) -> Result<Option<HunkLine>, PatchError> {
    // The line end is taken from the file.
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut letters = line.chars();
    let mark = letters.next();
    let rest = letters.as_str().to_owned();
    match mark {
        // Models omit the space before an empty line.
        None | Some(' ') => Ok(Some(HunkLine::Keep(rest))),
        Some('-') => Ok(Some(HunkLine::Remove(rest))),
        Some('+') => Ok(Some(HunkLine::Add(rest))),
        // `\ No newline at end of file` of a unified diff: the file's own end is kept.
        Some('\\') => Ok(None),
        Some(_) => Err(PatchError::Line(number)),
    }
}

impl Hunk {
    /// Parses the text after `@@`: the line numbers of a unified diff, or an anchor line above the place.
    fn heads(&mut self, rest: &str) {
        let rest = rest.trim();
        if let Some(numbers) = rest.strip_prefix('-') {
            let digits: String = numbers.chars().take_while(char::is_ascii_digit).collect();
            if let (Ok(line), true) = (digits.parse(), rest.contains(" +")) {
                self.hint = Some(Hint::At(line));
                return;
            }
        }
        let anchor = rest.strip_suffix("@@").unwrap_or(rest).trim();
        if !anchor.is_empty() {
            self.anchors.push(anchor.to_owned());
        }
    }

    fn close(mut self) -> Result<Self, PatchError> {
        // Blank lines before the next header only separate the sections.
        while self.lines.last() == Some(&HunkLine::Keep(String::new())) {
            self.lines.pop();
        }
        let changes = self.lines.iter().any(|line| !matches!(line, HunkLine::Keep(_)));
        if changes { Ok(self) } else { Err(PatchError::Nothing(self.number)) }
    }

    /// Returns the lines that the file has to contain.
    pub(crate) fn old(&self) -> Vec<&str> {
        self.lines.iter().filter_map(HunkLine::old).collect()
    }
}

#[cfg(test)]
mod tests;
