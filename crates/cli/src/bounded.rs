//! Reading files of the program's own state, up to a number of bytes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The longest file of state that is kept as one value: lessons, tokens, settings of a run.
pub(crate) const VALUE_BYTES: u64 = 16 * 1024 * 1024;
/// The longest question or answer: a question holds the changes that it is about.
pub(crate) const QUESTION_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a whole regular file of at most so many bytes.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let invalid = |words: String| io::Error::new(io::ErrorKind::InvalidData, words);
    if !file.metadata()?.is_file() {
        return Err(invalid("it is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    // One byte more than the limit finds a file that grows.
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
