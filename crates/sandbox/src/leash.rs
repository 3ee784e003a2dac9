//! The host's end of a confined child's life line: what the helper says, and the child's end when it is let go.

#[cfg(target_os = "linux")]
pub(crate) mod handed;

use std::io::{self, PipeWriter, Read};
use std::process::Stdio;

use crate::Part;

/// What the helper says when the command is about to run, confined as was asked.
pub(crate) const CONFINED: &str = "confined\n";
/// What comes before the part and the words where it could not.
pub(crate) const FAILED: &str = "failed ";

/// The life line of a confined child. When it is dropped, and so also when this process is killed, the helper
/// ends every process of the child.
///
/// It is the helper's standard input, and the command never has it: what is heard here, the command cannot say.
#[derive(Debug)]
pub struct Leash {
    #[cfg(unix)]
    socket: std::os::unix::net::UnixStream,
}

/// The command could not be confined, so nothing was run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing was run, because the command could not be confined: {part}: {words}")]
#[non_exhaustive]
pub struct NotConfined {
    /// What failed.
    pub part: Part,
    /// What the system said.
    pub words: String,
}

impl Leash {
    /// The host's end and the helper's.
    #[cfg(unix)]
    pub(crate) fn pair() -> io::Result<(Self, Stdio)> {
        let (socket, theirs) = std::os::unix::net::UnixStream::pair()?;
        socket.set_nonblocking(true)?;
        Ok((Self { socket }, std::os::fd::OwnedFd::from(theirs).into()))
    }

    #[cfg(not(unix))]
    pub(crate) fn pair() -> io::Result<(Self, Stdio)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes the command's input: its reading end waits on the leash for the helper, the other is given back.
    pub(crate) fn input(&self) -> io::Result<PipeWriter> {
        #[cfg(target_os = "linux")]
        {
            let (theirs, ours) = io::pipe()?;
            handed::give(&self.socket, &theirs)?;
            Ok(ours)
        }
        #[cfg(not(target_os = "linux"))]
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Asks the command and all that it started to end, by TERM; at the level without namespaces the command alone.
    pub fn ask(&self) {
        #[cfg(unix)]
        {
            // Who is gone need not be asked.
            let _ = io::Write::write(&mut &self.socket, b"t");
        }
    }

    /// Whether the command was started confined. Ask when the helper has ended, or when the command has
    /// printed something: before, nothing may have been said yet.
    ///
    /// # Errors
    /// If it was not: then it was not started at all.
    pub fn confined(&self) -> Result<(), NotConfined> {
        let mut said = String::new();
        #[cfg(unix)]
        {
            // Where nothing more is there, reading ends with an error, and what came before it is kept.
            let _ = (&self.socket).take(4096).read_to_string(&mut said);
        }
        heard(&said)
    }
}

/// Reads what a helper said.
pub(crate) fn heard(said: &str) -> Result<(), NotConfined> {
    if said.starts_with(CONFINED) {
        return Ok(());
    }
    let told = said.trim_end().strip_prefix(FAILED).and_then(|words| {
        let (part, words) = words.split_once(": ")?;
        Some(NotConfined { part: Part::of_words(part)?, words: words.to_owned() })
    });
    Err(told
        .unwrap_or_else(|| NotConfined { part: Part::Helper, words: "it ended without a word".to_owned() }))
}
