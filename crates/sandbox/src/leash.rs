//! The host's end of the channel to a helper: it receives the helper's report, and dropping it ends the
//! child.

#[cfg(target_os = "linux")]
pub(crate) mod handed;
pub(crate) mod occupancy;

use std::io::{self, PipeWriter, Read};
use std::path::PathBuf;
use std::process::Stdio;

use self::occupancy::ProcessPlace;
use crate::Part;

/// The helper's message that the command is about to run, confined as requested.
pub(crate) const CONFINED: &str = "confined\n";
/// The prefix of the helper's message that confining failed; the part and the reason follow.
pub(crate) const FAILED: &str = "failed ";

/// The host's end of the channel to a confined child. When it is dropped, or when this process is killed, the
/// helper ends every process of the child.
///
/// The other end is the helper's standard input. The command never has it, so the command cannot forge the
/// messages.
#[derive(Debug)]
pub struct Leash {
    #[cfg(unix)]
    socket: std::os::unix::net::UnixStream,
    /// Keeps requests to an editor out of the folders that the child can write.
    _place: ProcessPlace,
}

/// The error that a command could not be confined, so that it was not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing was run, because the command could not be confined: {part}: {words}")]
#[non_exhaustive]
pub struct NotConfined {
    /// The part of the confinement that failed.
    pub part: Part,
    /// The error message of the system.
    pub words: String,
}

impl Leash {
    /// Creates the host's end and the helper's end, for a child that can write some folders.
    #[cfg(unix)]
    pub(crate) fn pair(writable: &[PathBuf]) -> io::Result<(Self, Stdio)> {
        let place = ProcessPlace::take(writable)?;
        let (socket, theirs) = std::os::unix::net::UnixStream::pair()?;
        socket.set_nonblocking(true)?;
        Ok((Self { socket, _place: place }, std::os::fd::OwnedFd::from(theirs).into()))
    }

    #[cfg(not(unix))]
    pub(crate) fn pair(writable: &[PathBuf]) -> io::Result<(Self, Stdio)> {
        drop(ProcessPlace::take(writable)?);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Creates a pipe for the command's input. The reading end is sent over the leash to the helper; the
    /// writing end is returned.
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

    /// Asks the command and all its descendants to stop, with SIGTERM. At the level without namespaces only
    /// the command gets the signal.
    pub fn ask(&self) {
        #[cfg(unix)]
        {
            // The helper may have exited already, so ignore the error.
            let _ = io::Write::write(&mut &self.socket, b"t");
        }
    }

    /// Checks that the command was started confined. Call this when the helper has exited or the command has printed
    /// output; earlier, the message has possibly not arrived yet.
    ///
    /// # Errors
    /// If the command was not confined. Then it was not started at all.
    pub fn check_confined(&self) -> Result<(), NotConfined> {
        let mut said = String::new();
        #[cfg(unix)]
        {
            // Without further data, reading ends with an error, and the data before it is kept.
            let _ = (&self.socket).take(4096).read_to_string(&mut said);
        }
        parse_message(&said)
    }
}

/// Parses the message of a helper.
pub(crate) fn parse_message(said: &str) -> Result<(), NotConfined> {
    if said.starts_with(CONFINED) {
        return Ok(());
    }
    let told = said.trim_end().strip_prefix(FAILED).and_then(|words| {
        let (part, words) = words.split_once(": ")?;
        Some(NotConfined { part: Part::from_words(part)?, words: words.to_owned() })
    });
    Err(told
        .unwrap_or_else(|| NotConfined { part: Part::Helper, words: "it ended without output".to_owned() }))
}
