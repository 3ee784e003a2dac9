//! A file to which changes are appended, and that is replaced when it has many more lines than records.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lines::{Line, read_lines};
use super::{RecordFile, RecordFileError, Records, append_suffix};

/// Lines beyond twice the number of records after which the file is replaced.
pub(super) const SPARE_LINES: usize = 1_024;
/// Maximum bytes of a file without a first line.
const HEADLESS_BYTES: u64 = 4 << 20;

/// The first line of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    windlass: String,
}

/// An open file, which no other process writes.
#[derive(Debug)]
pub(super) struct Journal {
    state: RecordFile,
    /// Locked until it is closed.
    file: File,
    lines: usize,
    /// True if the file can end within a line.
    is_torn: bool,
    /// True if a change could not be written.
    is_incomplete: bool,
}

/// The lines of a file that were no records.
#[derive(Default)]
struct Damage {
    has_head: bool,
    lines: usize,
}

impl Journal {
    /// Reads a file into records, and replaces it by a file with these records only.
    pub(super) fn open<R: Records>(path: &Path, records: &mut R) -> Result<Self, RecordFileError> {
        let state = RecordFile::new(path);
        let file = open_locked(path)?;
        let damaged = read(&file, records)?;
        if damaged > 0 {
            fs::copy(path, state.backup_path())?;
            state.set_damaged(damaged);
        }
        let mut journal = Self { state, file, lines: 0, is_torn: false, is_incomplete: false };
        journal.replace(records)?;
        Ok(journal)
    }

    pub(super) fn file(&self) -> RecordFile {
        self.state.clone()
    }

    #[cfg(test)]
    pub(super) fn set_file(&mut self, file: File) {
        self.file = file;
    }

    /// Appends a change, which `records` contain. Returns false if the file does not have the change then.
    pub(super) fn append<R: Records>(&mut self, change: &R::Record, records: &R) -> bool {
        self.lines = self.lines.saturating_add(1);
        let is_written = self.write(change).is_ok();
        if !is_written {
            (self.is_torn, self.is_incomplete) = (true, true);
            self.state.count_failure();
        }
        let is_long = self.lines > records.count().saturating_mul(2).saturating_add(SPARE_LINES);
        // The first write after failed ones shows that the disk has room again for the changes that are missing.
        let is_mendable = is_written && std::mem::take(&mut self.is_incomplete);
        if !is_long && !is_mendable {
            return is_written;
        }
        let is_replaced = self.replace(records).is_ok();
        if !is_replaced {
            self.state.count_failure();
            // The next attempt is made after as many lines again.
            self.lines = 0;
        }
        is_written || is_replaced
    }

    fn write(&mut self, change: &impl Serialize) -> io::Result<()> {
        let mut line = if self.is_torn { b"\n".to_vec() } else { Vec::new() };
        write_line(&mut line, change)?;
        // One write for each line: a process that is killed leaves whole lines, or a torn last one.
        self.file.write_all(&line)?;
        self.is_torn = false;
        Ok(())
    }

    /// Replaces the file by one with the present records only.
    fn replace<R: Records>(&mut self, records: &R) -> io::Result<()> {
        let path = self.state.path();
        let new = append_suffix(path, ".new");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut out = BufWriter::new(options().append(true).create_new(true).open(&new)?);
        write_line(&mut out, &Head { windlass: R::KIND.to_owned() })?;
        let mut lines = 0_usize;
        for record in records.list() {
            write_line(&mut out, &record)?;
            lines = lines.saturating_add(1);
        }
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        // Locked before it has its name: no other process can lock it in between.
        lock(&file)?;
        fs::rename(&new, path)?;
        (self.file, self.lines) = (file, lines);
        (self.is_torn, self.is_incomplete) = (false, false);
        Ok(())
    }
}

fn write_line(mut out: impl io::Write, record: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut out, record)?;
    out.write_all(b"\n")
}

/// Returns options for a file that only its user can read.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens or creates a file, and locks it.
fn open_locked(path: &Path) -> Result<File, RecordFileError> {
    loop {
        let file = options().read(true).append(true).create(true).open(path)?;
        match lock(&file) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(RecordFileError::InUse),
            locked => locked?,
        }
        // The owner of the file can have replaced it between the two calls.
        if has_path(&file, path)? {
            return Ok(file);
        }
    }
}

/// Locks a file until it is closed. A file system without locks has one writer by the care of its user.
fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(unix)]
fn has_path(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let named = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        named => named?,
    };
    let open = file.metadata()?;
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the signature of the other platforms")]
fn has_path(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Applies the records of a file. Returns the number of damaged lines.
fn read<R: Records>(mut file: &File, records: &mut R) -> Result<usize, RecordFileError> {
    if let Some(old) = read_headless::<R>(file)? {
        for record in old {
            records.apply(record);
        }
        return Ok(0);
    }
    file.rewind()?;
    let mut damage = Damage::default();
    let mut unknown = None;
    read_lines(BufReader::new(file), |line| match line {
        _ if unknown.is_some() => {}
        Line::Whole(line) if !damage.has_head => match serde_json::from_slice(line) {
            Ok(Head { windlass }) if windlass == R::KIND => damage.has_head = true,
            Ok(Head { windlass }) => unknown = Some(windlass),
            Err(_) => damage.apply(line, records),
        },
        Line::Whole(line) => damage.apply(line, records),
        // Its writer was killed. Without a first line, the file is not one of records.
        Line::Torn if damage.has_head => {}
        Line::Torn | Line::TooLong => damage.count(),
    })?;
    unknown.map_or(Ok(damage.lines), |kind| Err(RecordFileError::Unknown(kind)))
}

/// Reads a file of a version that had no first line.
fn read_headless<R: Records>(file: &File) -> io::Result<Option<Vec<R::Record>>> {
    let mut text = Vec::new();
    file.take(HEADLESS_BYTES).read_to_end(&mut text)?;
    Ok(R::read_headless(&text))
}

impl Damage {
    fn apply<R: Records>(&mut self, line: &[u8], records: &mut R) {
        match serde_json::from_slice(line) {
            Ok(record) => records.apply(record),
            Err(_) => self.count(),
        }
    }

    fn count(&mut self) {
        self.lines = self.lines.saturating_add(1);
    }
}
