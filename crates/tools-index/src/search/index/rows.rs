//! Table of the files and chunks of a segment. It is in memory while the segment is open.

use super::encoding::{push_bytes, push_number, small, take_number, take_small, take_text};
use super::field::Field;

/// Metadata that changes when a file changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) modified: u64,
    pub(crate) len: u64,
    /// ctime in nanoseconds, which programs cannot set; zero where the system has none.
    pub(crate) changed: u64,
    pub(crate) inode: u64,
}

/// A file, with the version that the segment contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub(crate) path: String,
    pub(crate) stamp: Stamp,
    pub(super) chunks: u32,
}

/// A chunk of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkRow {
    /// Position of the file in [`Rows::files`].
    pub(crate) file: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// Number of words in each field.
    pub(crate) lengths: [u32; Field::ALL.len()],
    /// Position in [`Rows::languages`] plus one, or zero.
    language: u32,
    label: (u32, u32),
}

/// Files and chunks. The chunks of a file are adjacent, in the order of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) files: Vec<FileRow>,
    pub(crate) chunks: Vec<ChunkRow>,
    /// Sum of [`ChunkRow::lengths`].
    pub(crate) lengths: [u64; Field::ALL.len()],
    languages: Vec<String>,
    labels: String,
}

impl Rows {
    /// Appends a file; chunks that are appended later belong to it.
    pub(super) fn push_file(&mut self, path: &str, stamp: Stamp) {
        self.files.push(FileRow { path: path.to_owned(), stamp, chunks: 0 });
    }

    /// Appends a chunk of the last file.
    pub(super) fn push_chunk(
        &mut self,
        (first, last): (u32, u32),
        language: Option<&str>,
        label: &str,
        lengths: [u32; Field::ALL.len()],
    ) {
        let Some(file) = self.files.last_mut() else { return };
        file.chunks = file.chunks.saturating_add(1);
        let file = small(self.files.len().saturating_sub(1));
        let language = language.map_or(0, |name| self.position_of(name));
        let start = small(self.labels.len());
        self.labels.push_str(label);
        let label = (start, small(self.labels.len()));
        for (sum, length) in self.lengths.iter_mut().zip(lengths) {
            *sum = sum.saturating_add(u64::from(length));
        }
        self.chunks.push(ChunkRow { file, first, last, lengths, language, label });
    }

    fn position_of(&mut self, language: &str) -> u32 {
        let found = self.languages.iter().position(|name| name == language);
        let position = found.unwrap_or_else(|| {
            self.languages.push(language.to_owned());
            self.languages.len().saturating_sub(1)
        });
        small(position.saturating_add(1))
    }

    pub(crate) fn file(&self, chunk: &ChunkRow) -> Option<&FileRow> {
        self.files.get(chunk.file as usize)
    }

    pub(crate) fn language(&self, chunk: &ChunkRow) -> Option<&str> {
        self.languages.get((chunk.language as usize).checked_sub(1)?).map(String::as_str)
    }

    /// Returns the kind and name of the chunk's symbol, or an empty text.
    pub(crate) fn label(&self, chunk: &ChunkRow) -> &str {
        let (start, end) = chunk.label;
        self.labels.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Encodes the table.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        push_number(&mut out, self.languages.len() as u64);
        for name in &self.languages {
            push_bytes(&mut out, name.as_bytes());
        }
        push_number(&mut out, self.files.len() as u64);
        let mut chunks = self.chunks.iter();
        for file in &self.files {
            push_bytes(&mut out, file.path.as_bytes());
            let Stamp { modified, len, changed, inode } = file.stamp;
            for number in [modified, len, changed, inode] {
                push_number(&mut out, number);
            }
            push_number(&mut out, u64::from(file.chunks));
            for chunk in chunks.by_ref().take(file.chunks as usize) {
                let lines = [chunk.first, chunk.last.saturating_sub(chunk.first), chunk.language];
                for number in lines.iter().chain(&chunk.lengths) {
                    push_number(&mut out, u64::from(*number));
                }
                push_bytes(&mut out, self.label(chunk).as_bytes());
            }
        }
        out
    }

    /// Decodes a table. Returns `None` if it is malformed.
    pub(super) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let from = &mut bytes;
        let mut rows = Self::default();
        for _ in 0..take_number(from)? {
            rows.languages.push(take_text(from)?.to_owned());
        }
        for _ in 0..take_number(from)? {
            let path = take_text(from)?;
            let mut number = || take_number(from);
            let stamp = Stamp { modified: number()?, len: number()?, changed: number()?, inode: number()? };
            rows.push_file(path, stamp);
            for _ in 0..take_number(from)? {
                let mut number = || take_small(from);
                let (first, more, language) = (number()?, number()?, number()?);
                let lengths = [number()?, number()?, number()?];
                rows.push_chunk((first, first.checked_add(more)?), None, take_text(from)?, lengths);
                rows.chunks.last_mut()?.language = language;
            }
        }
        from.is_empty().then_some(rows)
    }
}
