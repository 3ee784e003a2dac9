//! The file of results, to which each trial is appended when it ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{EvalError, TrialRecord};

/// Version of the format.
const VERSION: u32 = 1;
/// Maximum size of a file that is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// One line of the file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
enum Line {
    /// The first line.
    Suite {
        version: u32,
        name: String,
    },
    Trial(Box<TrialRecord>),
}

/// A file of results that is open for appending. It is locked against other processes.
#[derive(Debug)]
pub(crate) struct Results {
    path: PathBuf,
    file: File,
}

impl Results {
    /// Opens or creates a file, and returns the results in it. A last line that a killed process wrote in part is removed.
    pub(crate) fn open(path: &Path, suite: &str) -> Result<(Self, Vec<TrialRecord>), EvalError> {
        let error = |verb| move |source| EvalError::File { path: path.to_owned(), verb, source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(error("opened"))?;
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(path).map_err(error("opened"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(EvalError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(error("opened")(source)),
        }
        let bytes = file.metadata().map_err(error("read"))?.len();
        if bytes > MAX_BYTES {
            return Err(EvalError::TooLarge { path: path.to_owned(), bytes, limit: MAX_BYTES });
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(error("read"))?;
        let (lines, torn) = text.split_at(whole_lines(&text));
        let records = read(path, lines, suite)?;
        let mut results = Self { path: path.to_owned(), file };
        let header = results.serialize(&Line::Suite { version: VERSION, name: suite.to_owned() })?;
        if lines.is_empty() && !header.starts_with(torn) {
            // The content is neither lines nor the beginning of a header, so it is another kind of file and must not
            // be changed.
            return read(path, torn, suite).map(|records| (results, records));
        }
        if !torn.is_empty() {
            let length = u64::try_from(lines.len()).unwrap_or(u64::MAX);
            results.file.set_len(length).map_err(error("written"))?;
        }
        if lines.is_empty() {
            results.write(&header)?;
        }
        Ok((results, records))
    }

    /// Appends a result.
    pub(crate) fn append(&mut self, record: &TrialRecord) -> Result<(), EvalError> {
        let line = self.serialize(&Line::Trial(Box::new(record.clone())))?;
        self.write(&line)
    }

    fn serialize(&self, line: &Line) -> Result<Vec<u8>, EvalError> {
        let mut text = serde_json::to_vec(line).map_err(|source| self.write_error(source.into()))?;
        text.push(b'\n');
        Ok(text)
    }

    /// Appends a line by one write, so that a killed process leaves at most one partial line.
    fn write(&mut self, line: &[u8]) -> Result<(), EvalError> {
        self.file.write_all(line).map_err(|source| self.write_error(source))
    }

    fn write_error(&self, source: std::io::Error) -> EvalError {
        EvalError::File { path: self.path.clone(), verb: "written", source }
    }
}

/// Returns the length of the lines that are complete.
fn whole_lines(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at.saturating_add(1))
}

/// Parses the lines of a file.
fn read(path: &Path, text: &[u8], suite: &str) -> Result<Vec<TrialRecord>, EvalError> {
    let mut records = Vec::new();
    for (line, number) in text.split_inclusive(|byte| *byte == b'\n').zip(1_usize..) {
        let line = serde_json::from_slice(line);
        match line.map_err(|source| EvalError::Line { path: path.to_owned(), number, source })? {
            Line::Suite { version, .. } if version > VERSION => {
                return Err(EvalError::Version { path: path.to_owned(), version, latest: VERSION });
            }
            Line::Suite { name, .. } if name != suite => {
                let expected = suite.to_owned();
                return Err(EvalError::OtherSuite { path: path.to_owned(), found: name, expected });
            }
            Line::Suite { .. } => {}
            Line::Trial(record) => records.push(*record),
        }
    }
    Ok(records)
}
