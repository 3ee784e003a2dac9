//! Which paths a patch names, for rules: also those of a text that is no patch.

use crate::patch::Section;

/// A path that a patch names, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named<'t> {
    /// It is written, with so many bytes if that is known.
    Write(&'t str, Option<u64>),
    Delete(&'t str),
}

impl Section {
    /// Every path of this part: a move names both of its.
    pub(crate) fn named(&self) -> Vec<Named<'_>> {
        match self {
            Self::Add { path, text } => vec![Named::Write(path, Some(text.len() as u64))],
            Self::Delete { path } => vec![Named::Delete(path)],
            Self::Update { path, to: None, .. } => vec![Named::Write(path, None)],
            Self::Update { path, to: Some(to), .. } => vec![Named::Delete(path), Named::Write(to, None)],
        }
    }
}

/// Every path that stands behind a header's words, whether or not the rest is a patch, so that rules see it. It
/// takes more for a header than the reader does: rules can only become stricter by it.
pub(crate) fn named(text: &str) -> Vec<Named<'_>> {
    let mut found = Vec::new();
    for line in text.split(['\n', '\r', '\u{2028}']) {
        let words =
            line.trim_start_matches(|letter: char| letter.is_whitespace() || "*+-#>`".contains(letter));
        for (header, is_delete) in
            [("add file:", false), ("update file:", false), ("move to:", false), ("delete file:", true)]
        {
            let head = words.get(..header.len()).filter(|head| head.eq_ignore_ascii_case(header));
            let path = head.and_then(|head| words.get(head.len()..)).map_or("", str::trim);
            if !path.is_empty() {
                found.push(if is_delete { Named::Delete(path) } else { Named::Write(path, None) });
            }
        }
    }
    found
}
