//! The manifest: the segments of the last commit, and which of their files were removed since.
#![expect(
    clippy::disallowed_methods,
    reason = "the index lies outside of every workspace, where no handle leads"
)]

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::encoding::{push_number, take_number, take_small};

const NAME: &str = "manifest";
const NEW_NAME: &str = "manifest.new";
const CHECK_BYTES: usize = 4;

/// A segment as the manifest records it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SegmentRecord {
    pub(crate) number: u64,
    pub(super) bytes: u64,
    pub(super) checksum: u32,
    /// Positions of files that are removed or are in a later segment, in ascending order.
    pub(crate) removed: Vec<u32>,
}

impl SegmentRecord {
    /// Returns true if both records are of the same file.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.number, self.bytes, self.checksum) == (other.number, other.bytes, other.checksum)
    }
}

/// Content of the manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Number of the next segment.
    pub(crate) next: u64,
    pub(crate) segments: Vec<SegmentRecord>,
}

/// Returns the path of a segment.
pub(super) fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(segment_name(number))
}

fn segment_name(number: u64) -> String {
    format!("{number:08}.segment")
}

impl Manifest {
    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// If the file cannot be read; `InvalidData` if it is damaged.
    pub(crate) fn read(folder: &Path) -> io::Result<Self> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the manifest of the index is damaged");
        Self::decode(&fs::read(folder.join(NAME))?).ok_or_else(damaged)
    }

    /// Replaces the manifest of a folder. After a crash, the folder has the previous or this manifest. The
    /// caller must hold the lock.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let mut file = File::create(folder.join(NEW_NAME))?;
        file.write_all(&self.encode())?;
        file.sync_all()?;
        fs::rename(folder.join(NEW_NAME), folder.join(NAME))?;
        // A rename is durable after its folder was synchronized; only Unix can open folders.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }

    /// Removes segments that the manifest does not name: merged ones, and those of interrupted commits. The
    /// caller must hold the lock. A file that cannot be removed is tried again after the next commit.
    pub(crate) fn remove_others(&self, folder: &Path) {
        let kept: HashSet<OsString> =
            self.segments.iter().map(|segment| segment_name(segment.number).into()).collect();
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if Path::new(&name).extension().is_some_and(|end| end == "segment") && !kept.contains(&name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        push_number(&mut out, self.next);
        push_number(&mut out, self.segments.len() as u64);
        for SegmentRecord { number, bytes, checksum, removed } in &self.segments {
            for number in [*number, *bytes, u64::from(*checksum), removed.len() as u64] {
                push_number(&mut out, number);
            }
            for file in removed {
                push_number(&mut out, u64::from(*file));
            }
        }
        let checksum = crc32c::crc32c(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (mut content, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECK_BYTES)?)?;
        if crc32c::crc32c(content).to_le_bytes() != checksum {
            return None;
        }
        let from = &mut content;
        let mut manifest = Self { next: take_number(from)?, segments: Vec::new() };
        for _ in 0..take_number(from)? {
            let mut segment = SegmentRecord {
                number: take_number(from)?,
                bytes: take_number(from)?,
                ..SegmentRecord::default()
            };
            segment.checksum = take_small(from)?;
            for _ in 0..take_number(from)? {
                segment.removed.push(take_small(from)?);
            }
            manifest.segments.push(segment);
        }
        from.is_empty().then_some(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::{Manifest, SegmentRecord};

    #[test]
    fn a_manifest_with_a_changed_or_missing_byte_is_refused() {
        let removed = vec![3, 700];
        let segment = SegmentRecord { number: 4, bytes: 70_000, checksum: 0xdead_beef, removed };
        let manifest = Manifest { next: 5, segments: vec![segment.clone(), segment] };
        let bytes = manifest.encode();
        assert_eq!(Manifest::decode(&bytes), Some(manifest));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert_eq!(Manifest::decode(&changed), None, "byte {at}");
            assert_eq!(Manifest::decode(&bytes[..at]), None, "{at} bytes");
        }
    }
}
