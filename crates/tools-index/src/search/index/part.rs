//! A segment with the files that later commits removed from it.

use std::collections::HashSet;
use std::sync::Arc;

use super::encoding::small;
use super::manifest::SegmentRecord;
use super::rows::FileRow;
use super::segment::Segment;

/// An open segment, with its removed files.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) segment: Arc<Segment>,
    /// Positions of the removed files, in ascending order.
    pub(super) removed: Vec<u32>,
}

impl Part {
    /// Creates a part of an open segment and its record.
    pub(crate) fn new(segment: Arc<Segment>, record: &SegmentRecord) -> Self {
        Self { segment, removed: record.removed.clone() }
    }

    /// Returns the record for the manifest.
    pub(crate) fn record(&self) -> SegmentRecord {
        SegmentRecord { removed: self.removed.clone(), ..self.segment.record.clone() }
    }

    /// Returns true if the part is of the same file as the record.
    pub(crate) fn is_of(&self, record: &SegmentRecord) -> bool {
        self.segment.record.is_same_file(record)
    }

    /// Returns true for a file that is not removed.
    pub(crate) fn has(&self, file: u32) -> bool {
        self.removed.binary_search(&file).is_err()
    }

    /// Returns the files that are not removed.
    pub(crate) fn files(&self) -> impl Iterator<Item = &FileRow> {
        let files = self.segment.rows.files.iter().enumerate();
        files.filter(|(file, _)| self.has(small(*file))).map(|(_, row)| row)
    }

    /// Returns the number of chunks, with those of removed files.
    pub(super) fn chunks(&self) -> usize {
        self.segment.rows.chunks.len()
    }

    /// Returns the number of chunks of files that are not removed.
    pub(super) fn live_chunks(&self) -> usize {
        self.files().fold(0, |sum, file| sum.saturating_add(file.chunks as usize))
    }
}

/// Marks the files with these paths as removed from the parts.
pub(crate) fn mark_removed(parts: &mut [Part], paths: &HashSet<&str>) {
    if paths.is_empty() {
        return;
    }
    for part in parts {
        let files = part.segment.rows.files.iter().enumerate();
        let gone = files.filter(|(_, row)| paths.contains(row.path.as_str())).map(|(file, _)| small(file));
        part.removed.extend(gone);
        part.removed.sort_unstable();
        part.removed.dedup();
    }
}
