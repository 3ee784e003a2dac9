//! The index of the file of sessions: the places of the lines, the session that changed last first.

use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::FileId;
use crate::error::Result;
use crate::sessions::record::SessionState;
use crate::storage::{bounded, write_whole};

/// Name of the index.
pub(super) const FILE: &str = "sessions.index";

/// Maximum size in bytes of the index.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Version of the format.
const VERSION: u32 = 2;

/// Index of a file of sessions until a position. A program that has no index reads the file.
#[derive(Debug)]
pub(super) struct Index {
    header: Header,
    /// The entries: lines with the time of the last change, the offset, the length, the state, the number of open
    /// questions, the id, and further runs.
    text: String,
}

/// First line of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    version: u32,
    file: FileId,
    /// Position in the file until which the index has its lines.
    pub(super) end: u64,
    /// Number of the lines until there.
    pub(super) lines: usize,
    /// Number of sessions.
    pub(super) records: usize,
}

/// Entry of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) changed_ms: u64,
    /// Position of the line in the file.
    pub(super) offset: u64,
    pub(super) length: usize,
    pub(super) state: SessionState,
    pub(super) open_questions: usize,
    pub(super) id: &'a str,
    /// The ids of the runs after the first one, whose id is the session's, separated by spaces.
    pub(super) runs: &'a str,
}

impl<'a> Entry<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut parts = line.splitn(7, ' ');
        let changed_ms = parts.next()?.parse().ok()?;
        let offset = parts.next()?.parse().ok()?;
        let length = parts.next()?.parse().ok()?;
        let state = SessionState::from_name(parts.next()?)?;
        let open_questions = parts.next()?.parse().ok()?;
        let (id, runs) = (parts.next()?, parts.next().unwrap_or_default());
        Some(Self { changed_ms, offset, length, state, open_questions, id, runs })
    }

    /// Returns true if the id of the session, or of one of its runs, begins with a text.
    pub(super) fn has_name(&self, prefix: &str) -> bool {
        self.id.starts_with(prefix) || self.runs.split_ascii_whitespace().any(|run| run.starts_with(prefix))
    }

    /// Returns true if a process works on the session or a question is open.
    pub(super) fn is_open(&self) -> bool {
        self.state.is_active() || self.open_questions > 0
    }
}

impl Index {
    /// Reads the index of a file. Returns `None` if it is missing, damaged, or belongs to another file.
    pub(super) fn read(path: &Path, file: FileId, length: u64) -> Option<Self> {
        let mut text = String::from_utf8(bounded::read(path, MAX_BYTES).ok()?).ok()?;
        let (first, _) = text.split_once('\n')?;
        let header: Header = serde_json::from_str(first).ok()?;
        let entries = first.len().saturating_add(1);
        // A file that became shorter was written again.
        let fits = header.version == VERSION && header.file == file && header.end <= length;
        fits.then(|| {
            text.drain(..entries);
            Self { header, text }
        })
    }

    /// Creates an index of entries in any order. Returns `None` if an id contains a space or the end of a line.
    pub(super) fn new(file: FileId, end: u64, lines: usize, mut entries: Vec<Entry<'_>>) -> Option<Self> {
        entries.sort_unstable_by(|one, other| (other.changed_ms, other.id).cmp(&(one.changed_ms, one.id)));
        let mut text = String::new();
        for Entry { changed_ms, offset, length, state, open_questions, id, runs } in &entries {
            if id.is_empty() || id.contains(char::is_whitespace) || runs.contains('\n') {
                return None;
            }
            let state = state.as_str();
            let _ = write!(text, "{changed_ms} {offset} {length} {state} {open_questions} {id}");
            text.push_str(if runs.is_empty() { "" } else { " " });
            text.push_str(runs);
            text.push('\n');
        }
        let header = Header { version: VERSION, file, end, lines, records: entries.len() };
        Some(Self { header, text })
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string(&self.header)?;
        text.push('\n');
        text.push_str(&self.text);
        write_whole(path, text.as_bytes(), 0o600)
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the entries, the session that changed last first.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.text.lines().filter_map(Entry::parse)
    }

    /// Finds the entry of a session.
    pub(super) fn find(&self, id: &str) -> Option<Entry<'_>> {
        let lines = self.text.match_indices(id).filter_map(|(at, _)| {
            let begin = self.text.get(..at)?.rfind('\n').map_or(0, |end| end.saturating_add(1));
            self.text.get(begin..)?.lines().next()
        });
        lines.filter_map(Entry::parse).find(|entry| entry.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, FILE, Index};
    use crate::sessions::record::SessionState;
    use crate::sessions::store::folder::FileId;

    fn entry<'a>(changed_ms: u64, id: &'a str, runs: &'a str) -> Entry<'a> {
        let (state, open_questions) = (SessionState::Suspended, 3);
        Entry { changed_ms, offset: changed_ms * 2, length: 7, state, open_questions, id, runs }
    }

    #[test]
    fn a_session_index_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (folder.path().join(FILE), FileId { device: 1, inode: 2 });
        let entries = [entry(5, "1-a", ""), entry(9, "11-a", "3-c 1-a2"), entry(5, "2-b", "1-a1")];
        Index::new(file, 100, 4, entries.to_vec()).unwrap().write(&path).unwrap();
        let index = Index::read(&path, file, 100).unwrap();
        assert_eq!(index.entries().map(|entry| entry.id).collect::<Vec<_>>(), ["11-a", "2-b", "1-a"]);
        for entry in &entries {
            assert_eq!(index.find(entry.id).as_ref(), Some(entry));
        }
        assert_eq!((index.find("1-a2"), index.find("1-"), index.find("5")), (None, None, None));
        assert!(Index::read(&path, file, 99).is_none(), "the file is shorter");
        assert!(Index::read(&path, FileId { device: 1, inode: 3 }, 100).is_none(), "it is another file");
        std::fs::write(&path, "{}\n").unwrap();
        assert!(Index::read(&path, file, 100).is_none());
        assert!(Index::new(file, 1, 1, vec![entry(1, "a b", "")]).is_none());
    }
}
