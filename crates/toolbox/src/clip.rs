//! Truncation of outputs that are too long for a model.

use std::fmt::Write as _;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use windlass_protocol::Content;
use windlass_tool::Context;

/// The maximum length of one text in an output. A longer text is truncated to its head and tail with the
/// exact number of missing bytes, and the complete text is written to a file that the model can read in pages
/// (RULES R9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "one number with a name")]
pub struct OutputLimit {
    /// The maximum number of bytes of one text.
    pub bytes: usize,
}

impl Default for OutputLimit {
    fn default() -> Self {
        Self { bytes: 60_000 }
    }
}

impl OutputLimit {
    /// Truncates the texts that are too long. Returns true besides if a complete text was written to a file.
    pub(crate) fn apply(self, content: Vec<Content>, ctx: &Context) -> (Vec<Content>, bool) {
        let mut is_spilled = false;
        let clipped = content
            .into_iter()
            .enumerate()
            .map(|(piece, content)| match content {
                Content::Text { text } if text.len() > self.bytes => {
                    let (text, spilled) = self.clip(&text, piece, ctx);
                    is_spilled |= spilled;
                    Content::Text { text }
                }
                short => short,
            })
            .collect();
        (clipped, is_spilled)
    }

    fn clip(self, text: &str, piece: usize, ctx: &Context) -> (String, bool) {
        let half = self.bytes / 2;
        let head = &text[..text.floor_char_boundary(half)];
        let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(half))..];
        let missing = text.len().saturating_sub(head.len()).saturating_sub(tail.len());
        let mut clipped = format!(
            "[The output has {} bytes in {} lines; {missing} bytes in the middle are left out.",
            text.len(),
            text.lines().count()
        );
        let spilled = ctx.outputs().and_then(|folder| spill(folder, ctx, piece, text));
        if let Some(name) = &spilled {
            let _ = write!(clipped, " The whole is in @outputs/{name}.");
        }
        let _ = write!(clipped, "]\n{head}\n[… {missing} bytes left out …]\n{tail}");
        (clipped, spilled.is_some())
    }
}

/// The maximum number of files for call ids that map to the same file name.
const ATTEMPTS: u32 = 1_000;

/// Writes the complete text to the folder for outputs. Returns the file name, or `None` if writing failed;
/// the model then still receives head and tail.
#[expect(clippy::disallowed_methods, reason = "the folder of outputs is the host's, given for this")]
fn spill(folder: &Path, ctx: &Context, piece: usize, text: &str) -> Option<String> {
    let id: String = ctx
        .call()
        .as_str()
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character } else { '_' })
        .take(64)
        .collect();
    let (mut builder, mut options) = (DirBuilder::new(), OpenOptions::new());
    builder.recursive(true);
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(folder).ok()?;
    // Different ids can map to one name; `create_new` prevents overwriting another call's file.
    for attempt in 1..=ATTEMPTS {
        let name =
            if attempt == 1 { format!("{id}-{piece}.txt") } else { format!("{id}-{piece}-{attempt}.txt") };
        match options.open(folder.join(&name)) {
            Ok(mut file) => return file.write_all(text.as_bytes()).ok().map(|()| name),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}
