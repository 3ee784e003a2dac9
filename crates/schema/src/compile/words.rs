//! Texts that a description has because the dialect lacks a keyword.

use crate::json::{Json, Members};

/// Maximum length of one value that a description repeats, and of all values together, in bytes.
const VALUE: usize = 120;
const VALUES: usize = 400;

/// Additions to a schema's description.
#[derive(Debug, Default)]
pub(super) struct Words {
    title: Option<String>,
    values: Vec<String>,
}

impl Words {
    /// Sets a title that the dialect does not accept. It becomes the description if the schema has none.
    pub(super) fn title(&mut self, title: &Json) {
        self.title = title.as_str().map(str::to_owned);
    }

    /// Adds a text.
    pub(super) fn say(&mut self, words: &str) {
        self.values.push(words.to_owned());
    }

    /// Adds a keyword and its value unless they are too long. Returns whether they were added.
    pub(super) fn value(&mut self, key: &str, value: &Json) -> bool {
        let text = value.to_string();
        let fits = text.len() <= VALUE && self.values.iter().map(String::len).sum::<usize>() <= VALUES;
        if fits {
            self.values.push(format!("{key}: {text}"));
        }
        fits
    }

    /// Returns the members with the extended description.
    pub(super) fn into(self, mut members: Members) -> Members {
        let own = members.get("description").and_then(Json::as_str).or(self.title.as_deref());
        let own = own.unwrap_or_default();
        let text = match (own.is_empty(), self.values.is_empty()) {
            (true, true) => return members,
            (false, true) => own.to_owned(),
            (true, false) => self.values.join(", "),
            (false, false) => format!("{own} ({})", self.values.join(", ")),
        };
        members.set("description", Json::String(text));
        members
    }
}
