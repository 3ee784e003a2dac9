//! Commands with placeholders for arguments.

use serde_json::Value;
use windlass_protocol::Arguments;

/// A word of a command: literal text, or a placeholder for an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Written(String),
    Argument(String),
}

/// A command with placeholders. A value replaces whole words and never a part of one, so it needs no quoting
/// and cannot inject further words.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    words: Vec<Word>,
}

impl Template {
    /// Parses a command whose placeholders are properties of a schema.
    pub(crate) fn new(argv: &[String], has_argument: impl Fn(&str) -> bool) -> Result<Self, String> {
        let mut words = Vec::with_capacity(argv.len());
        for word in argv {
            words.push(match placeholder(word) {
                Some(name) if !has_argument(name) => {
                    return Err(format!("{word} does not name a property of the schema"));
                }
                Some(name) => Word::Argument(name.to_owned()),
                None => match inner_placeholder(word) {
                    Some(inner) => {
                        return Err(format!(
                            "{inner} is a part of the word {word:?}; it has to be a word of its own"
                        ));
                    }
                    None => Word::Written(word.clone()),
                },
            });
        }
        match words.first() {
            Some(Word::Written(program)) if !program.is_empty() => Ok(Self { words }),
            _ => Err("the first word has to be a program, written out".to_owned()),
        }
    }

    /// Returns the command with the values of a call, or an error for the model with the required correction.
    pub(crate) fn fill(&self, arguments: &Arguments) -> Result<Vec<String>, String> {
        let mut filled = Vec::with_capacity(self.words.len());
        let mut may_dash = false;
        for word in &self.words {
            let name = match word {
                Word::Written(word) => {
                    may_dash |= word == "--";
                    filled.push(word.clone());
                    continue;
                }
                Word::Argument(name) => name,
            };
            for value in values(name, arguments.get(name))? {
                if value.starts_with('-') && !may_dash {
                    return Err(format!(
                        "{name} begins with `-`, and the command could take {value:?} for an option; as a path \
                         it is ./{value}"
                    ));
                }
                filled.push(value);
            }
        }
        Ok(filled)
    }
}

/// Returns the words of a value: one for each item of a list.
fn values(name: &str, value: Option<&Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(|item| scalar(name, item)).collect(),
        Some(value) => Ok(vec![scalar(name, value)?]),
    }
}

fn scalar(name: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) if text.contains('\0') => {
            Err(format!("{name} has a NUL character, which an argument cannot have"))
        }
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(is_true) => Ok(is_true.to_string()),
        _ => Err(format!("{name} is not a string, number or list of them")),
    }
}

/// Returns the argument's name if the whole word is a placeholder.
fn placeholder(word: &str) -> Option<&str> {
    word.strip_prefix('{')?.strip_suffix('}').filter(|name| is_name(name))
}

/// Returns a placeholder inside of a word. Other braces are literal, as in an awk program.
fn inner_placeholder(word: &str) -> Option<&str> {
    // A name has no braces, so a placeholder begins at the last `{` before its `}`.
    word.split_inclusive('}').find_map(|piece| {
        let inner = piece.get(piece.rfind('{')?..)?;
        placeholder(inner).map(|_| inner)
    })
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests;
