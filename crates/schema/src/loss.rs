//! Parts of a schema that a dialect cannot express.

use std::fmt;

/// Part of the author's schema that the compiled schema omits or changes.
///
/// Arguments are checked against the author's schema regardless of losses. A loss explains why a model may
/// need a second attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The position in the author's schema as a JSON Pointer; empty for the root.
    pub path: String,
    /// The keyword.
    pub keyword: String,
    /// A description of the change.
    pub what: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the root" } else { &self.path };
        write!(f, "{path}: `{}` {}", self.keyword, self.what)
    }
}

/// Maximum number of reported losses. One more entry counts the others.
const TOLD: usize = 64;
/// Maximum length of a path and of a keyword in bytes; both come from the author's schema.
const PATH: usize = 256;
const KEYWORD: usize = 64;

/// The losses of one schema.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    told: Vec<Loss>,
    untold: usize,
}

impl Losses {
    pub(crate) fn tell(&mut self, path: &str, keyword: &str, what: impl Into<String>) {
        if self.told.len() >= TOLD {
            self.untold = self.untold.saturating_add(1);
            return;
        }
        let (path, keyword) = (clip(path, PATH), clip(keyword, KEYWORD));
        let loss = Loss { path, keyword, what: what.into() };
        if !self.told.contains(&loss) {
            self.told.push(loss);
        }
    }

    pub(crate) fn into_told(mut self) -> Vec<Loss> {
        if self.untold > 0 {
            let what = format!("loses {} more keywords", self.untold);
            self.told.push(Loss { path: String::new(), keyword: "the schema".to_owned(), what });
        }
        self.told
    }
}

fn clip(text: &str, bytes: usize) -> String {
    let end = text.floor_char_boundary(bytes);
    if end == text.len() { text.to_owned() } else { format!("{}…", text.get(..end).unwrap_or_default()) }
}
