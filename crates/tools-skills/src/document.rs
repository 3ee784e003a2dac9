//! Markdown files that a person wrote for the model: front matter and text.

use std::collections::{BTreeMap, BTreeSet};

use saphyr_parser::{Event, Parser, ScalarStyle};
use windlass_hitl::has_invisible;

/// The maximum length of a file, in bytes. `MAX_FRONT_MATTER` is that of its front matter.
pub(crate) const MAX_FILE: usize = 100_000;
const MAX_FRONT_MATTER: usize = 16_000;
/// The maximum nesting depth of values in the front matter, including values that are not used.
const MAX_DEPTH: usize = 16;

/// The reason why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file does not begin with a line of three dashes, and its caller requires front matter.
    #[error(
        "it has no front matter: a line of three dashes, `name: value` lines, another line of three dashes"
    )]
    NoFrontMatter,
    /// The second line of dashes is missing.
    #[error("its front matter has no end: a second line of three dashes is missing")]
    Unclosed,
    /// The file or its front matter is too long.
    #[error("its {part} has {len} bytes, at most {limit} are allowed")]
    TooLong {
        /// The name of the part that is too long.
        part: &'static str,
        /// Its length in bytes.
        len: usize,
        /// The maximum length in bytes.
        limit: usize,
    },
    /// The front matter is not YAML.
    #[error(
        "its front matter is not valid YAML in line {line}: {message}; put a value with a colon in \
         quotes"
    )]
    Yaml {
        /// The line of the file.
        line: usize,
        /// The message of the YAML parser.
        message: String,
    },
    /// The front matter uses a feature of YAML that is not supported, for example an anchor.
    #[error("its front matter has {what}, which is not supported")]
    Unwanted {
        /// The name of that feature.
        what: &'static str,
    },
    /// A key occurs twice.
    #[error("its front matter has the key `{key}` twice")]
    Twice {
        /// The key, cut to 64 characters.
        key: String,
    },
    /// A required key is missing or empty.
    #[error("its front matter has no `{key}`")]
    Missing {
        /// The key.
        key: &'static str,
    },
    /// A value violates a rule of its key.
    #[error("its `{key}` {problem}")]
    Value {
        /// The key.
        key: &'static str,
        /// The rule that it violates.
        problem: String,
    },
}

/// A Markdown file that a person wrote for the model: the values of its front matter by key, and the text
/// after it.
///
/// ```
/// use windlass_tools_skills::Document;
/// let document = Document::parse("---\nname: tester\n---\nRun the tests.")?;
/// assert_eq!(document.words("name", 100)?.as_deref(), Some("tester"));
/// assert_eq!(document.body(), "Run the tests.");
/// # Ok::<(), windlass_tools_skills::DocumentError>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Document<'a> {
    pub(crate) fields: BTreeMap<String, String>,
    /// The keys whose value is `[]`.
    pub(crate) empty_lists: BTreeSet<String>,
    pub(crate) body: &'a str,
}

impl<'a> Document<'a> {
    /// Parses a file with or without front matter.
    ///
    /// # Errors
    /// If the file is too long, or its front matter has no end, is not YAML, repeats a key, or has an anchor,
    /// an alias, a tag, a second document or too deep values.
    pub fn parse(text: &'a str) -> Result<Self, DocumentError> {
        if text.len() > MAX_FILE {
            return Err(DocumentError::TooLong { part: "text", len: text.len(), limit: MAX_FILE });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.split_inclusive('\n');
        let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
            return Ok(Self { fields: BTreeMap::new(), empty_lists: BTreeSet::new(), body: text });
        };
        let mut end = first.len();
        for line in lines {
            let after = end.saturating_add(line.len());
            if line.trim_end() == "---" {
                let yaml = text.get(first.len()..end).unwrap_or_default();
                let (fields, empty_lists) = fields(yaml)?;
                return Ok(Self { fields, empty_lists, body: text.get(after..).unwrap_or_default() });
            }
            end = after;
        }
        Err(DocumentError::Unclosed)
    }

    /// Returns the keys of the front matter, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Returns true if the front matter has the key, with any value.
    pub fn has(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }

    /// Returns true if the value of the key is an empty list (`[]`).
    pub fn has_empty_list(&self, key: &str) -> bool {
        self.empty_lists.contains(key)
    }

    /// Returns the text after the front matter.
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// Returns a value as one line, with each run of white space replaced by one space. Returns `None` for a
    /// key that is missing, empty, or has a list or a mapping as its value.
    ///
    /// # Errors
    /// If the value has control or invisible characters, or more than `max_chars` characters.
    pub fn words(&self, key: &'static str, max_chars: usize) -> Result<Option<String>, DocumentError> {
        let Some(value) = self.fields.get(key) else { return Ok(None) };
        let words = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let fails = |problem: &str| Err(DocumentError::Value { key, problem: problem.to_owned() });
        if words.chars().any(char::is_control) || has_invisible(&words) {
            return fails("has characters that cannot be seen");
        }
        if words.chars().count() > max_chars {
            return fails(&format!("is longer than {max_chars} characters"));
        }
        Ok((!words.is_empty()).then_some(words))
    }
}

/// Returns the top-level keys with plain values, and the keys with an empty list. Keys with other nested
/// values have an empty string.
fn fields(yaml: &str) -> Result<(BTreeMap<String, String>, BTreeSet<String>), DocumentError> {
    if yaml.len() > MAX_FRONT_MATTER {
        let (part, len) = ("front matter", yaml.len());
        return Err(DocumentError::TooLong { part, len, limit: MAX_FRONT_MATTER });
    }
    let mut fields = BTreeMap::new();
    let mut empty_lists = BTreeSet::new();
    // The key of a list whose first event was just read.
    let mut begun: Option<String> = None;
    let mut key: Option<String> = None;
    let mut depth = 0_usize;
    for event in Parser::new_from_str(yaml) {
        let (event, _) = event.map_err(|error| DocumentError::Yaml {
            // The first line of the file is the line of dashes.
            line: error.marker().line().saturating_add(1),
            message: error.info().to_owned(),
        })?;
        check(&event, depth)?;
        if let (Some(key), Event::SequenceEnd) = (begun.take(), &event) {
            empty_lists.insert(key);
        }
        if depth == 1 && matches!(event, Event::SequenceStart(..)) {
            begun.clone_from(&key);
        }
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                // A nested value belongs to the open key and does not count as text.
                if depth == 1 && key.take().is_none() {
                    return Err(DocumentError::Unwanted { what: "a key that is not a word" });
                }
                depth = depth.saturating_add(1);
            }
            Event::MappingEnd | Event::SequenceEnd => depth = depth.saturating_sub(1),
            Event::Scalar(text, style, ..) if depth == 1 => match key.take() {
                None => {
                    let text = text.into_owned();
                    if fields.contains_key(&text) {
                        return Err(DocumentError::Twice { key: text.chars().take(64).collect() });
                    }
                    // Record keys with nested values too, so that a repetition is detected.
                    fields.insert(text.clone(), String::new());
                    key = Some(text);
                }
                Some(key) => {
                    let is_null = style == ScalarStyle::Plain && matches!(&*text, "~" | "null");
                    fields.insert(key, if is_null { String::new() } else { text.into_owned() });
                }
            },
            _ => {}
        }
    }
    Ok((fields, empty_lists))
}

/// Refuses YAML features that plain values do not need: anchors, aliases, tags, several documents, deep
/// nesting.
fn check(event: &Event<'_>, depth: usize) -> Result<(), DocumentError> {
    let what = match event {
        Event::Alias(_) => "an alias",
        Event::Scalar(_, _, anchor, tag) if *anchor != 0 || tag.is_some() => "an anchor or a tag",
        Event::MappingStart(anchor, tag) | Event::SequenceStart(anchor, tag)
            if *anchor != 0 || tag.is_some() =>
        {
            "an anchor or a tag"
        }
        Event::DocumentStart(true) => "another document",
        Event::SequenceStart(..) | Event::Scalar(..) if depth == 0 => "no `name: value` lines",
        Event::MappingStart(..) | Event::SequenceStart(..) if depth >= MAX_DEPTH => "values nested too deep",
        _ => return Ok(()),
    };
    Err(DocumentError::Unwanted { what })
}

#[cfg(test)]
mod tests;
