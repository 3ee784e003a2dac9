//! Output of a command on standard output, which may be a pipe that its reader closes early.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process;

/// Prints a line like the macro of the standard library, but does not panic if the reader of a pipe has seen
/// enough, as in `cargo xtask tidy --language | head`.
macro_rules! println {
    () => {
        crate::output::print_line(format_args!(""))
    };
    ($($word:tt)*) => {
        crate::output::print_line(format_args!($($word)*))
    };
}

/// Prints a line. If standard output cannot be written, for example because the disk is full, the process ends
/// with an error.
pub(crate) fn print_line(line: fmt::Arguments<'_>) {
    if let Err(error) = write_line(&mut io::stdout().lock(), line) {
        eprintln!("error: the output cannot be written: {error}");
        process::exit(1);
    }
}

/// Writes a line. A closed pipe is not an error.
fn write_line(out: &mut impl Write, line: fmt::Arguments<'_>) -> io::Result<()> {
    match writeln!(out, "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

#[cfg(test)]
mod tests {
    //! Tests of errors that the reader of a pipe causes, such as closing it early.

    use std::io::{self, ErrorKind, Write};

    use super::write_line;

    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_broken_pipe_is_not_an_error() {
        assert!(write_line(&mut Failing(ErrorKind::BrokenPipe), format_args!("a {}", 1)).is_ok());
        assert!(write_line(&mut Failing(ErrorKind::StorageFull), format_args!("a")).is_err());
        let mut written = Vec::new();
        write_line(&mut written, format_args!("a {}", 1)).unwrap();
        assert_eq!(written, b"a 1\n");
    }
}
