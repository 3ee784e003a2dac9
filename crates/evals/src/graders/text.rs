//! Graders of the answer's text.

use std::future::ready;

use regex::Regex;

use super::shorten::shorten;
use crate::{Attempt, Grade, GradeFuture, Grader};

/// Grades the text of the answer: see [`exact`], [`contains`] and [`matches()`].
#[derive(Clone, Debug)]
pub struct TextGrader {
    expectation: Expectation,
}

#[derive(Clone, Debug)]
enum Expectation {
    Exact(String),
    Contains(String),
    Matches(Regex),
}

/// A regular expression that cannot be compiled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the pattern {pattern} is not a regular expression")]
#[non_exhaustive]
pub struct InvalidPattern {
    /// The pattern.
    pub pattern: String,
    /// Error of the engine.
    pub source: regex::Error,
}

/// Expects this answer, apart from white space at both ends.
pub fn exact(text: impl Into<String>) -> TextGrader {
    TextGrader { expectation: Expectation::Exact(text.into()) }
}

/// Expects an answer that contains this text, in the same case.
pub fn contains(text: impl Into<String>) -> TextGrader {
    TextGrader { expectation: Expectation::Contains(text.into()) }
}

/// Expects an answer in which this regular expression matches somewhere.
///
/// # Errors
/// If the pattern is not valid in the syntax of the crate `regex`.
pub fn matches(pattern: &str) -> Result<TextGrader, InvalidPattern> {
    match Regex::new(pattern) {
        Ok(regex) => Ok(TextGrader { expectation: Expectation::Matches(regex) }),
        Err(source) => Err(InvalidPattern { pattern: pattern.to_owned(), source }),
    }
}

impl Grader for TextGrader {
    fn describe(&self) -> String {
        match &self.expectation {
            Expectation::Exact(text) => format!("is {text:?}"),
            Expectation::Contains(text) => format!("contains {text:?}"),
            Expectation::Matches(regex) => format!("matches /{regex}/"),
        }
    }

    fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a> {
        let answer = attempt.answer();
        let passed = match &self.expectation {
            Expectation::Exact(text) => answer.trim() == text.trim(),
            Expectation::Contains(text) => answer.contains(text.as_str()),
            Expectation::Matches(regex) => regex.is_match(answer),
        };
        let reason = if passed { String::new() } else { format!("the answer is {:?}", shorten(answer)) };
        Box::pin(ready(Ok(Grade::new(passed, reason))))
    }
}
