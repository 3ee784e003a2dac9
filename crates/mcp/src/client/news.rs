//! The difference between a tool's definition and the one that a human accepted.

use std::sync::PoisonError;
use std::time::Duration;

use similar::TextDiff;
use windlass_protocol::Change;

use crate::{AcceptedTools, Definition};

/// Time limit of the diff.
const DIFF_TIME: Duration = Duration::from_millis(500);

/// Returns the diff against the accepted definition, or the whole definition at the first use. The text
/// is not escaped, like a diff of files: the question escapes it once, so that an escape sequence in the
/// display cannot be the server's own characters.
pub(crate) fn diff_definition(accepted: &AcceptedTools, definition: &Definition) -> Change {
    let accepted = accepted.read().unwrap_or_else(PoisonError::into_inner);
    let path = format!("mcp:{}/{}", definition.server, definition.name);
    let before = accepted.text_before(definition).unwrap_or_default();
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, &definition.text);
    let headers = if before.is_empty() { ("/dev/null", "first use") } else { ("accepted", "now") };
    let mut diff = diff.unified_diff().context_radius(1).header(headers.0, headers.1).to_string();
    if accepted.is_of_another_program(definition) {
        diff.insert_str(0, "# the server of this name was another program when its tool was accepted\n");
    }
    Change::new(path, diff)
}
