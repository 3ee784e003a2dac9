//! The sessions of a file in memory: its index, the changes after the index was written, and the records that were
//! read.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::index::{self, Entry, Index};
use super::{FileId, Line, SPARE_LINES};
use crate::error::Result;
use crate::sessions::counts::SessionCounts;
use crate::sessions::page::SessionPlace;
use crate::sessions::record::SessionRecord;
use crate::storage::write_whole;

/// Maximum size in bytes of the file. It is far above what 100,000 sessions need.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The sessions until a position in the file. Later reads continue there.
#[derive(Debug, Default)]
pub(super) struct Cache {
    file: Option<(FileId, File)>,
    end: u64,
    lines: usize,
    index: Option<Index>,
    /// The changes that are not in the index yet.
    changes: BTreeMap<String, Change>,
    /// Records of the index that were read.
    decoded: BTreeMap<String, SessionRecord>,
}

/// Session of a page: the time of its last change, its id, and the offset and length of its line in the index.
type Found = (u64, String, Option<(u64, usize)>);

/// Newest change of a session that is not in the index yet.
#[derive(Debug)]
struct Change {
    offset: u64,
    length: usize,
    /// The record, or `None` if it was removed.
    record: Option<SessionRecord>,
    is_indexed: bool,
}

impl Cache {
    /// Reads the lines after those that the cache has read. An unreadable line is skipped: the end of a write of a
    /// process that was killed, or the line of a later version.
    pub(super) fn refresh(&mut self, path: &Path) -> io::Result<()> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                *self = Self::default();
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let id = FileId::read(&file)?;
        let length = file.metadata()?.len();
        if self.file.as_ref().is_none_or(|(known, _)| *known != id) || length < self.end {
            self.begin(path, id, file.try_clone()?, length);
        }
        if length == self.end {
            return Ok(());
        }
        if length > MAX_BYTES {
            let words = format!("it has more than {MAX_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
        }
        file.seek(SeekFrom::Start(self.end))?;
        let mut bytes = Vec::new();
        file.take(length.saturating_sub(self.end)).read_to_end(&mut bytes)?;
        // A line without its end is still being written, or was cut.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at.saturating_add(1));
        for line in bytes.get(..whole).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            self.read_line(line);
        }
        Ok(())
    }

    /// Begins with the index of a file.
    fn begin(&mut self, path: &Path, id: FileId, file: File, length: u64) {
        let index = Index::read(&path.with_file_name(index::FILE), id, length);
        let (end, lines) = index.as_ref().map_or((0, 0), |index| (index.header().end, index.header().lines));
        *self = Self { file: Some((id, file)), end, lines, index, ..Self::default() };
    }

    fn read_line(&mut self, line: &[u8]) {
        let (offset, length) = (self.end, line.len());
        self.end = self.end.saturating_add(length as u64);
        self.lines = self.lines.saturating_add(1);
        let (id, record) = match serde_json::from_slice(line) {
            Ok(Line::Put(record)) => (record.id.clone(), Some(*record)),
            Ok(Line::Remove(id)) => (id, None),
            Err(_) => return,
        };
        let is_indexed = self.index.as_ref().is_some_and(|index| index.find(&id).is_some());
        self.changes.insert(id, Change { offset, length, record, is_indexed });
    }

    /// Returns true if so many lines follow the index that a new index is worth its cost.
    pub(super) fn has_long_tail(&self) -> bool {
        let indexed = self.index.as_ref().map_or(0, |index| index.header().lines);
        self.lines.saturating_sub(indexed) > SPARE_LINES
    }

    /// Returns true if the file should be written again.
    pub(super) fn has_many_old_lines(&self) -> bool {
        self.lines > self.count().saturating_mul(2).saturating_add(SPARE_LINES)
    }

    /// Returns the number of sessions.
    pub(super) fn count(&self) -> usize {
        let indexed = self.index.as_ref().map_or(0, |index| index.header().records);
        self.changes.values().fold(indexed, |count, change| match (&change.record, change.is_indexed) {
            (Some(_), false) => count.saturating_add(1),
            (None, true) => count.saturating_sub(1),
            _ => count,
        })
    }

    /// Returns the entries of the index without later changes.
    fn old_entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let entries = self.index.iter().flat_map(Index::entries);
        entries.filter(|entry| !self.changes.contains_key(entry.id))
    }

    fn new_records(&self) -> impl Iterator<Item = (&Change, &SessionRecord)> {
        self.changes.values().filter_map(|change| Some((change, change.record.as_ref()?)))
    }

    /// Writes an index of the whole file, and begins again with it. The caller has the lock of the folder, so the index
    /// belongs to the current file: the number of a replaced file can be given to a later one.
    pub(super) fn write_index(&mut self, path: &Path) -> Result<()> {
        let Some((id, file)) = &self.file else { return Ok(()) };
        if FileId::read(&File::open(path)?)? != *id {
            return Ok(());
        }
        let changed: Vec<(String, &Change, &SessionRecord)> =
            self.new_records().map(|(change, record)| (join_runs(record), change, record)).collect();
        let fresh = changed.iter().map(|(runs, change, record)| Entry {
            changed_ms: record.updated_ms,
            offset: change.offset,
            length: change.length,
            state: record.state,
            open_questions: record.open_questions,
            id: &record.id,
            runs,
        });
        let entries = self.old_entries().chain(fresh).collect();
        let Some(index) = Index::new(*id, self.end, self.lines, entries) else { return Ok(()) };
        index.write(&path.with_file_name(index::FILE))?;
        let file = Some((*id, file.try_clone()?));
        let (end, lines) = (self.end, self.lines);
        let mut decoded = std::mem::take(&mut self.decoded);
        for (id, change) in std::mem::take(&mut self.changes) {
            match change.record {
                Some(record) => drop(decoded.insert(id, record)),
                None => drop(decoded.remove(&id)),
            }
        }
        *self = Self { file, end, lines, index: Some(index), changes: BTreeMap::new(), decoded };
        Ok(())
    }

    /// Writes the file again with the valid lines only. The caller has the lock of the folder.
    pub(super) fn rewrite(&mut self, path: &Path) -> Result<()> {
        let mut text = Vec::new();
        for record in self.list() {
            serde_json::to_writer(&mut text, &Line::Put(Box::new(record)))?;
            text.push(b'\n');
        }
        match std::fs::remove_file(path.with_file_name(index::FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        write_whole(path, &text, 0o600)?;
        *self = Self::default();
        Ok(self.refresh(path)?)
    }

    /// Reads the record of an entry. Returns `None` if it cannot be read.
    fn decode(&mut self, offset: u64, length: usize, id: &str) -> Option<SessionRecord> {
        if let Some(record) = self.decoded.get(id) {
            return Some(record.clone());
        }
        let mut line = vec![0; length];
        self.file.as_ref()?.1.read_exact_at(&mut line, offset).ok()?;
        let Ok(Line::Put(record)) = serde_json::from_slice(&line) else { return None };
        self.decoded.insert(id.to_owned(), (*record).clone());
        Some(*record)
    }

    /// Returns the record of a session.
    pub(super) fn get(&mut self, id: &str) -> Option<SessionRecord> {
        if let Some(change) = self.changes.get(id) {
            return change.record.clone();
        }
        let entry = self.index.as_ref()?.find(id)?;
        let (offset, length) = (entry.offset, entry.length);
        self.decode(offset, length, id)
    }

    /// Returns all records in the order of their ids.
    pub(super) fn list(&mut self) -> Vec<SessionRecord> {
        self.select(|_| true, |_| true)
    }

    /// Returns the records whose id, or the id of one of whose runs, begins with a text.
    pub(super) fn find(&mut self, prefix: &str, limit: usize) -> Vec<SessionRecord> {
        let has_run = |record: &SessionRecord| record.runs.iter().any(|run| run.id.starts_with(prefix));
        let mut found: Vec<String> = self
            .old_entries()
            .filter(|entry| entry.has_name(prefix))
            .map(|entry| entry.id.to_owned())
            .chain(
                self.new_records()
                    .map(|(_, record)| record)
                    .filter(|record| record.id.starts_with(prefix) || has_run(record))
                    .map(|record| record.id.clone()),
            )
            .collect();
        found.sort_unstable();
        found.truncate(limit);
        found.iter().filter_map(|id| self.get(id)).collect()
    }

    /// Returns the records of sessions on which a process works or which have open questions.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general over the lifetime"
    )]
    pub(super) fn open(&mut self) -> Vec<SessionRecord> {
        self.select(|entry| entry.is_open(), SessionRecord::is_open)
    }

    /// Returns the numbers of sessions by state. Reads no record of the index.
    pub(super) fn counts(&self) -> SessionCounts {
        let mut counts = SessionCounts::default();
        for entry in self.old_entries() {
            counts.add(entry.state, 1, entry.open_questions);
        }
        for (_, record) in self.new_records() {
            counts.add(record.state, 1, record.open_questions);
        }
        counts
    }

    /// Returns the records that a condition selects, in the order of their ids. Reads the lines of these records only.
    fn select(
        &mut self,
        is_old: impl Fn(&Entry<'_>) -> bool,
        is_new: impl Fn(&SessionRecord) -> bool,
    ) -> Vec<SessionRecord> {
        let entries = self.old_entries().filter(|entry| is_old(entry));
        let entries: Vec<(u64, usize, String)> =
            entries.map(|entry| (entry.offset, entry.length, entry.id.to_owned())).collect();
        let new = self.new_records().map(|(_, record)| record).filter(|record| is_new(record));
        let mut records: Vec<SessionRecord> = new.cloned().collect();
        records.extend(entries.iter().filter_map(|(offset, length, id)| self.decode(*offset, *length, id)));
        records.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        records
    }

    /// Returns up to `limit` records after a place, the one that changed last first. Reads the lines of these records
    /// only.
    pub(super) fn page(&mut self, after: Option<&SessionPlace>, limit: usize) -> Vec<SessionRecord> {
        let is_later = |changed_ms: u64, id: &str| {
            after.is_none_or(|place| (changed_ms, id) < (place.changed_ms, place.id.as_str()))
        };
        let old = self.old_entries().filter(|entry| is_later(entry.changed_ms, entry.id)).take(limit);
        let mut found: Vec<Found> = old
            .map(|entry| (entry.changed_ms, entry.id.to_owned(), Some((entry.offset, entry.length))))
            .collect();
        let new = self.new_records().filter(|(_, record)| is_later(record.updated_ms, &record.id));
        found.extend(new.map(|(_, record)| (record.updated_ms, record.id.clone(), None)));
        found.sort_unstable_by(|one, other| (other.0, &other.1).cmp(&(one.0, &one.1)));
        found.truncate(limit);
        let read = found.into_iter().filter_map(|(_, id, place)| match place {
            Some((offset, length)) => self.decode(offset, length, &id),
            None => self.changes.get(&id).and_then(|change| change.record.clone()),
        });
        read.collect()
    }

    /// Returns those of the runs that do not belong to a session.
    pub(super) fn select_unknown(&self, runs: Vec<String>) -> Vec<String> {
        let mut known: HashSet<&str> = HashSet::new();
        for entry in self.old_entries() {
            known.insert(entry.id);
            known.extend(entry.runs.split_ascii_whitespace());
        }
        for (_, record) in self.new_records() {
            known.extend(record.runs.iter().map(|run| run.id.as_str()));
        }
        runs.into_iter().filter(|run| !known.contains(run.as_str())).collect()
    }
}

/// Returns the ids of the runs after the first one.
fn join_runs(record: &SessionRecord) -> String {
    let others = record.runs.iter().map(|run| run.id.as_str()).filter(|id| *id != record.id);
    others.collect::<Vec<_>>().join(" ")
}
