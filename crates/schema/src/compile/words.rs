//! What a description says because no keyword can.

use crate::json::{Json, Members};

/// The longest value that a description repeats, and how long all of them may be.
const VALUE: usize = 120;
const VALUES: usize = 400;

/// Words for a schema's description.
#[derive(Debug, Default)]
pub(super) struct Words {
    title: Option<String>,
    values: Vec<String>,
}

impl Words {
    /// A title where the dialect has none: the description, unless there is one.
    pub(super) fn title(&mut self, title: &Json) {
        self.title = title.as_str().map(str::to_owned);
    }

    /// Words as they are.
    pub(super) fn say(&mut self, words: &str) {
        self.values.push(words.to_owned());
    }

    /// A keyword and its value, unless it is long. Whether it is said.
    pub(super) fn value(&mut self, key: &str, value: &Json) -> bool {
        let text = value.to_string();
        let fits = text.len() <= VALUE && self.values.iter().map(String::len).sum::<usize>() <= VALUES;
        if fits {
            self.values.push(format!("{key}: {text}"));
        }
        fits
    }

    /// The members with a description that says all this.
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
