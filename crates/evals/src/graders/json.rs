//! Graders of answers that are JSON.

use std::fmt::Debug;
use std::future::ready;

use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_protocol::RawJson;
use windlass_schema::{Checker, SchemaError};

use super::shorten::shorten;
use crate::{Attempt, Grade, GradeFuture, Grader};

/// Expects a JSON answer with this value: see [`equals_json`].
#[derive(Clone, Debug)]
pub struct JsonGrader {
    expected: Value,
}

/// Expects a JSON answer that reads as this value of a Rust type: see [`equals_typed`].
#[derive(Clone, Debug)]
pub struct TypedGrader<T> {
    expected: T,
}

/// Expects a JSON answer that a schema accepts: see [`json_schema`].
#[derive(Debug)]
pub struct SchemaGrader {
    schema: Value,
    checker: Checker,
}

/// Expects a JSON answer that equals this value; the order of object members does not matter. The answer may be a code
/// block.
pub fn equals_json(expected: Value) -> JsonGrader {
    JsonGrader { expected }
}

/// Expects a JSON answer that reads as this value of a Rust type, so that the type decides which members matter. The
/// answer may be a code block.
pub fn equals_typed<T: DeserializeOwned + PartialEq + Debug + Send + Sync>(expected: T) -> TypedGrader<T> {
    TypedGrader { expected }
}

/// Expects a JSON answer that this JSON Schema accepts. The answer may be a code block.
///
/// # Errors
/// If the schema is invalid.
pub fn json_schema(schema: Value) -> Result<SchemaGrader, SchemaError> {
    let checker = Checker::compile(&RawJson::from(&schema))?;
    Ok(SchemaGrader { schema, checker })
}

/// Reads an answer as JSON, in a code block or without one.
fn read<T: DeserializeOwned>(answer: &str) -> Result<T, Grade> {
    serde_json::from_str(strip_fence(answer)).map_err(|error| {
        Grade::new(false, format!("the answer does not read: {error}: {:?}", shorten(answer)))
    })
}

/// Returns the text inside of a code block, if the whole text is one.
fn strip_fence(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, inner)| inner.trim())
}

impl Grader for JsonGrader {
    fn describe(&self) -> String {
        format!("is the JSON {}", self.expected)
    }

    fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a> {
        let grade = match read::<Value>(attempt.answer()) {
            Ok(value) if value == self.expected => Grade::from(true),
            Ok(value) => Grade::new(false, format!("the answer is {}", shorten(&value.to_string()))),
            Err(grade) => grade,
        };
        Box::pin(ready(Ok(grade)))
    }
}

impl<T: DeserializeOwned + PartialEq + Debug + Send + Sync> Grader for TypedGrader<T> {
    fn describe(&self) -> String {
        format!("is the value {:?}", self.expected)
    }

    fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a> {
        let grade = match read::<T>(attempt.answer()) {
            Ok(value) if value == self.expected => Grade::from(true),
            Ok(value) => Grade::new(false, format!("the answer is {}", shorten(&format!("{value:?}")))),
            Err(grade) => grade,
        };
        Box::pin(ready(Ok(grade)))
    }
}

impl Grader for SchemaGrader {
    fn describe(&self) -> String {
        format!("fits the schema {}", self.schema)
    }

    fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a> {
        let grade = match read::<Value>(attempt.answer()) {
            Ok(value) => match self.checker.check_value(&value) {
                Ok(()) => Grade::from(true),
                Err(violations) => {
                    let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
                    Grade::new(false, list.join("; "))
                }
            },
            Err(grade) => grade,
        };
        Box::pin(ready(Ok(grade)))
    }
}

#[cfg(test)]
mod tests {
    //! Code blocks around JSON.

    use super::strip_fence;

    #[test]
    fn a_code_block_is_removed_if_it_is_the_whole_text() {
        for (text, expected) in [
            ("{}", "{}"),
            (" \n{}\n", "{}"),
            ("```json\n{}\n```", "{}"),
            ("```\n[1]\n```\n", "[1]"),
            ("text ```{}```", "text ```{}```"),
            ("``````", "``````"),
            ("```", "```"),
        ] {
            assert_eq!(strip_fence(text), expected);
        }
    }
}
