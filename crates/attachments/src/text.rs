//! Text files as text of a message.

use windlass_protocol::Part;
use windlass_text::Text;

use crate::AttachmentError;
use crate::media_type::extension_of;

/// Returns a text part with the name of the file and its content in a fence. The fence is longer than every run of
/// backticks in the content, so the content cannot end it.
pub(crate) fn read_text(name: &str, bytes: &[u8]) -> Result<Part, AttachmentError> {
    let shown = Text::show(bytes).map_err(|_| AttachmentError::UnknownType { name: name.to_owned() })?;
    let fence = "`".repeat(longest_run(&shown.text).saturating_add(1).max(3));
    let language = extension_of(name).filter(|text| text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let language = language.unwrap_or_default();
    let end = if shown.text.ends_with('\n') { "" } else { "\n" };
    let name = name.replace(['`', '\n', '\r'], " ");
    Ok(Part::text(format!("File `{name}`:\n\n{fence}{language}\n{}{end}{fence}\n", shown.text)))
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let (mut longest, mut current) = (0_usize, 0_usize);
    for byte in text.bytes() {
        current = if byte == b'`' { current.saturating_add(1) } else { 0 };
        longest = longest.max(current);
    }
    longest
}
