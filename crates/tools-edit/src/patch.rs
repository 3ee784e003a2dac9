//! The text of a patch: which files it names, and what it says about each.

use crate::unwrap::unwrap;

/// What one patch may hold.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_FILES: usize = 200;
const MAX_HUNKS: usize = 2_000;

const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// One file of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Add { path: String, text: String },
    Delete { path: String },
    Update { path: String, to: Option<String>, hunks: Vec<Hunk> },
}

/// One place in a file and what becomes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The line of the patch where it begins, counted from 1.
    pub(crate) number: usize,
    /// Lines that stand above the place, from the outermost in.
    pub(crate) anchors: Vec<String>,
    /// Where the place begins, if the patch says so.
    pub(crate) hint: Option<Hint>,
    pub(crate) lines: Vec<HunkLine>,
    /// Whether the place ends where the file does.
    pub(crate) at_end: bool,
}

/// A line of the file, counted from 1, that tells which of several places is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// This very line.
    At(usize),
    /// The place that is clearly the nearest to it.
    Near(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HunkLine {
    Keep(String),
    Remove(String),
    Add(String),
}

impl HunkLine {
    /// What has to stand in the file.
    pub(crate) fn old(&self) -> Option<&str> {
        match self {
            Self::Keep(text) | Self::Remove(text) => Some(text),
            Self::Add(_) => None,
        }
    }
}

/// Why a text is no patch, in words for the model.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatchError {
    #[error("the patch has {0} bytes, at most {MAX_BYTES} are taken")]
    TooLong(usize),
    #[error("the patch has to begin with the line `*** Begin Patch`")]
    NoBegin,
    #[error("the patch has to end with the line `*** End Patch`; is it cut?")]
    NoEnd,
    #[error("the patch names no file")]
    Empty,
    #[error("the patch has more than {MAX_FILES} files or {MAX_HUNKS} hunks; make several of it")]
    TooMany,
    #[error("line {0} of the patch names no path")]
    NoPath(usize),
    #[error(
        "line {0} of the patch is no header; write `*** Add File: PATH`, `*** Delete File: PATH` or `*** Update File: PATH`"
    )]
    Header(usize),
    #[error("line {0} of the patch begins with neither a space nor `+` nor `-`")]
    Line(usize),
    #[error("line {0} of the patch is inside a new file and does not begin with `+`")]
    Added(usize),
    #[error("the part of the patch at line {0} changes nothing; give lines that begin with `+` or `-`")]
    Nothing(usize),
}

/// Reads a patch.
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

/// The lines of a patch, with the number of each.
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
            return Ok(Section::Add { path: path(rest)?, text: self.added()? });
        }
        if let Some(rest) = header.strip_prefix(DELETE) {
            return Ok(Section::Delete { path: path(rest)? });
        }
        let Some(rest) = header.strip_prefix(UPDATE) else { return Err(PatchError::Header(number)) };
        let path = path(rest)?;
        let to = self.moved()?;
        let hunks = self.hunks()?;
        if hunks.is_empty() && to.is_none() {
            return Err(PatchError::Nothing(number));
        }
        Ok(Section::Update { path, to, hunks })
    }

    fn moved(&mut self) -> Result<Option<String>, PatchError> {
        let Some(rest) = self.peek().and_then(|line| line.trim().strip_prefix(MOVE)) else { return Ok(None) };
        let to = rest.trim().to_owned();
        match self.next() {
            Some((number, _)) if to.is_empty() => Err(PatchError::NoPath(number)),
            _ => Ok(Some(to)),
        }
    }

    fn added(&mut self) -> Result<String, PatchError> {
        let mut text = String::new();
        while let Some(line) = self.peek().filter(|line| !is_header(line.trim())) {
            let Some((number, _)) = self.next() else { break };
            match line.strip_prefix('+') {
                Some(line) => {
                    text.push_str(line);
                    text.push('\n');
                }
                // A blank line between two files is no line of either.
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
        // A header inside a hunk stands at the very start of its line: after a space it is the file's.
        while let Some(line) = self.peek() {
            let at_rest = open.as_ref().is_none_or(|hunk| hunk.lines.is_empty());
            if is_header(if open.is_none() { line.trim() } else { line }) {
                break;
            }
            let Some((number, _)) = self.next() else { break };
            if let Some(rest) = line.strip_prefix("@@") {
                if !at_rest {
                    hunks.extend(open.take().map(Hunk::closed).transpose()?);
                }
                open.get_or_insert_with(|| Hunk { number, ..Hunk::default() }).heads(rest);
            } else if line.trim_end() == END_OF_FILE {
                let mut hunk = open.take().ok_or(PatchError::Nothing(number))?;
                hunk.at_end = true;
                hunks.push(hunk.closed()?);
            } else if open.is_some() || !line.trim().is_empty() {
                let hunk = open.get_or_insert_with(|| Hunk { number, ..Hunk::default() });
                hunk.lines.extend(hunk_line(line, number)?);
            }
        }
        hunks.extend(open.map(Hunk::closed).transpose()?);
        Ok(hunks)
    }

    /// The two file names of a unified diff say what the header said.
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
    // The line end belongs to the file.
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut letters = line.chars();
    let mark = letters.next();
    let rest = letters.as_str().to_owned();
    match mark {
        // Models leave out the space of an empty line.
        None | Some(' ') => Ok(Some(HunkLine::Keep(rest))),
        Some('-') => Ok(Some(HunkLine::Remove(rest))),
        Some('+') => Ok(Some(HunkLine::Add(rest))),
        // The missing final newline of a unified diff: the file's own end stays as it is.
        Some('\\') => Ok(None),
        Some(_) => Err(PatchError::Line(number)),
    }
}

impl Hunk {
    /// Takes what stands behind `@@`: the numbers of a unified diff, or a line above the place.
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

    fn closed(mut self) -> Result<Self, PatchError> {
        // Blank lines before the next header are there for the eye.
        while self.lines.last() == Some(&HunkLine::Keep(String::new())) {
            self.lines.pop();
        }
        let changes = self.lines.iter().any(|line| !matches!(line, HunkLine::Keep(_)));
        if changes { Ok(self) } else { Err(PatchError::Nothing(self.number)) }
    }

    /// The lines that have to stand in the file.
    pub(crate) fn old(&self) -> Vec<&str> {
        self.lines.iter().filter_map(HunkLine::old).collect()
    }
}
