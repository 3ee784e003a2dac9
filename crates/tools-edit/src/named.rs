//! Paths that a patch names, also in a text that is not a valid patch, for policy rules.

use crate::patch::Section;

/// Path that a patch names, with the change of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named<'t> {
    /// The file is written, with this number of bytes if it is known.
    Write(&'t str, Option<u64>),
    Delete(&'t str),
}

impl Section {
    /// Returns every path of this section. A move has two.
    pub(crate) fn named(&self) -> Vec<Named<'_>> {
        match self {
            Self::Add { path, text } => vec![Named::Write(path, Some(text.len() as u64))],
            Self::Delete { path } => vec![Named::Delete(path)],
            Self::Update { path, to: None, .. } => vec![Named::Write(path, None)],
            Self::Update { path, to: Some(to), .. } => vec![Named::Delete(path), Named::Write(to, None)],
        }
    }
}

/// Returns every path after the words of a header, whether or not the text is a valid patch, so that rules
/// see the path. It accepts more spellings of a header than the parser, which can only make the decision
/// stricter.
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
