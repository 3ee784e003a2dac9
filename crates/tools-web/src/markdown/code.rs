//! `Code`: preformatted lines and their fences.

/// Lines of code that are open.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) text: String,
    pub(crate) language: Option<String>,
}

impl Code {
    /// The lines between fences, which are longer than any row of backticks in them.
    pub(crate) fn fenced(&self) -> String {
        let (mut longest, mut run) = (0_usize, 0_usize);
        for byte in self.text.bytes() {
            run = if byte == b'`' { run.saturating_add(1) } else { 0 };
            longest = longest.max(run);
        }
        let fence = "`".repeat(longest.saturating_add(1).max(3));
        let language = self.language.as_deref().unwrap_or_default();
        // The first line break after the tag is not meant (WHATWG HTML, 13.1.2.5).
        let text = self.text.strip_prefix('\n').unwrap_or(&self.text).trim_end();
        format!("{fence}{language}\n{text}\n{fence}")
    }
}
