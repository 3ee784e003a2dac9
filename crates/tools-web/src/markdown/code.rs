//! `Code`: preformatted text and its fences.

/// An open code block.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) text: String,
    pub(crate) language: Option<String>,
}

impl Code {
    /// Returns the block between fences that are longer than any run of backticks in it.
    pub(crate) fn to_fenced(&self) -> String {
        let (mut longest, mut run) = (0_usize, 0_usize);
        for byte in self.text.bytes() {
            run = if byte == b'`' { run.saturating_add(1) } else { 0 };
            longest = longest.max(run);
        }
        let fence = "`".repeat(longest.saturating_add(1).max(3));
        let language = self.language.as_deref().unwrap_or_default();
        // The first line break after the tag is ignored (WHATWG HTML, 13.1.2.5).
        let text = self.text.strip_prefix('\n').unwrap_or(&self.text).trim_end();
        format!("{fence}{language}\n{text}\n{fence}")
    }
}
