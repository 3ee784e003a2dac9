//! The program of a server that runs as a child process.

use std::ffi::OsString;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};
use windlass_sandbox::ChildEnvironment;

use crate::hex::hex;

/// A program with its arguments, its environment and its working directory.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) command: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: ChildEnvironment,
    pub(crate) folder: Option<PathBuf>,
}

impl Program {
    pub(crate) fn new(command: OsString) -> Self {
        Self { command, arguments: Vec::new(), environment: ChildEnvironment::new(), folder: None }
    }

    /// Returns a SHA-256 digest of the command and its arguments, in hexadecimal. Environment and working
    /// directory are not part of it.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"windlass mcp server 1");
        for word in std::iter::once(&self.command).chain(&self.arguments) {
            let bytes = word.as_encoded_bytes();
            hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(bytes);
        }
        hex(&hash.finalize())
    }
}
