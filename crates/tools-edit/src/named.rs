//! Paths that a patch names, also in a text that is not a valid patch, for policy rules.

use crate::patch::Section;

/// Path that a patch names, with the change of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedPath<'t> {
    /// The file is written, with this number of bytes if it is known.
    Write(&'t str, Option<u64>),
    Delete(&'t str),
}

impl Section {
    /// Returns every path of this section. A move has two.
    pub(crate) fn paths(&self) -> Vec<NamedPath<'_>> {
        match self {
            Self::Add { path, text } => vec![NamedPath::Write(path, Some(text.len() as u64))],
            Self::Delete { path } => vec![NamedPath::Delete(path)],
            Self::Update { path, to: None, .. } => vec![NamedPath::Write(path, None)],
            Self::Update { path, to: Some(to), .. } => {
                vec![NamedPath::Delete(path), NamedPath::Write(to, None)]
            }
        }
    }
}

/// Returns every path after the words of a header, whether or not the text is a valid patch, so that rules
/// see the path. It accepts more spellings of a header than the parser, which can only make the decision
/// stricter.
pub(crate) fn paths_in(text: &str) -> Vec<NamedPath<'_>> {
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
                found.push(if is_delete { NamedPath::Delete(path) } else { NamedPath::Write(path, None) });
            }
        }
    }
    found
}
