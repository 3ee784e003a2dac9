//! The lines of a file of records.

use std::io::{self, BufRead, Read as _};

/// Maximum bytes of a line.
const LINE_BYTES: usize = 8_192;

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A line, without its end.
    Whole(&'a [u8]),
    /// The last line, without an end: its writer was killed.
    Torn,
    /// A line that is too long for a record.
    TooLong,
}

/// Reads the lines of a file. Memory is bounded for any file.
pub(super) fn read_lines(mut file: impl BufRead, mut each: impl FnMut(Line<'_>)) -> io::Result<()> {
    let most = u64::try_from(LINE_BYTES).unwrap_or(u64::MAX);
    let mut line = Vec::new();
    let mut is_rest = false;
    loop {
        line.clear();
        if file.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        match line.strip_suffix(b"\n") {
            Some(_) if is_rest => is_rest = false,
            Some(b"") => {}
            Some(line) => each(Line::Whole(line)),
            None if is_rest => {}
            None if line.len() < LINE_BYTES => each(Line::Torn),
            None => {
                is_rest = true;
                each(Line::TooLong);
            }
        }
    }
}
