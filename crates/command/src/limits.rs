//! How much text and how many commands are read before a command counts as not simple.

/// How much is read before the answer is "not simple".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of text.
    pub bytes: usize,
    /// Simple commands in one text.
    pub commands: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 10_000, commands: 50 }
    }
}

impl Limits {
    /// The same with another number of bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// The same with another number of simple commands.
    #[must_use]
    pub fn with_commands(mut self, commands: usize) -> Self {
        self.commands = commands;
        self
    }
}
