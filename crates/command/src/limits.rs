//! Limits on the bytes and on the commands of a text for the literal lexer.

/// The size up to which [`Command`](crate::Command) parses a text. The lexer refuses a longer text as not
/// simple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLimits {
    /// Maximum number of bytes of the text (default 10,000).
    pub bytes: usize,
    /// Maximum number of simple commands in the text (default 50).
    pub commands: usize,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self { bytes: 10_000, commands: 50 }
    }
}

impl CommandLimits {
    /// Sets the maximum number of bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the maximum number of simple commands.
    #[must_use]
    pub fn with_commands(mut self, commands: usize) -> Self {
        self.commands = commands;
        self
    }
}
