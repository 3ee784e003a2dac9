//! Patterns for file names, with a limit on their size.

use windlass_sandbox::WorkspacePath;
use windlass_text::Glob;
use windlass_tool::ToolError;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern(Glob);

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self, ToolError> {
        Glob::new(text).map(Self).map_err(|error| ToolError::model(error.to_string()))
    }

    /// Returns true if the pattern matches a path. A pattern without `/` is matched against the file name
    /// only.
    pub(crate) fn fits(&self, below: &WorkspacePath) -> bool {
        self.0.fits(below.relative())
    }
}
