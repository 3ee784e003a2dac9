//! Reads state files up to a maximum size.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Maximum size in bytes of a file with one value: lessons, accepted tools, settings of a run.
pub(crate) const VALUE_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum size in bytes of a question or an answer. A question contains the changes that it is about.
pub(crate) const QUESTION_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a regular file. Fails if it has more than `most` bytes.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let invalid = |words: String| io::Error::new(io::ErrorKind::InvalidData, words);
    if !file.metadata()?.is_file() {
        return Err(invalid("it is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    // Reading one byte more than the limit detects a file that grows.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(invalid(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read(&file, 5).unwrap(), b"12345");
        assert!(read(&file, 4).unwrap_err().to_string().contains("more than 4 bytes"));
        assert!(read(folder.path(), 4).is_err());
    }
}
