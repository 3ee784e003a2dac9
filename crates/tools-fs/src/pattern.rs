//! A pattern for names, held to a size before it is built.

use windlass_sandbox::WorkspacePath;
use windlass_text::Glob;
use windlass_tool::ToolError;

/// A pattern that was built.
#[derive(Debug)]
pub(crate) struct Pattern(Glob);

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self, ToolError> {
        Glob::new(text).map(Self).map_err(|error| ToolError::model(error.to_string()))
    }

    /// Whether it is one of the wanted: a pattern without `/` is meant for the name, in whatever folder.
    pub(crate) fn fits(&self, below: &WorkspacePath) -> bool {
        self.0.fits(below.relative())
    }
}
