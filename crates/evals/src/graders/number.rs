//! A grader of an answer that is a number.

use std::future::ready;
use std::sync::LazyLock;

use regex::Regex;

use super::shorten::shorten;
use crate::{Attempt, Grade, GradeFuture, Grader};

/// A number with optional groups of three digits, or without groups.
const PATTERN: &str = r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?";

static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PATTERN).ok());

/// Grades the last number of an answer: see [`number`].
#[derive(Clone, Copy, Debug)]
pub struct NumberGrader {
    expected: f64,
    tolerance: f64,
}

/// Expects that the last number of the answer differs from this number by at most the tolerance. Commas between
/// groups of three digits are ignored.
pub fn number(expected: f64, tolerance: f64) -> NumberGrader {
    NumberGrader { expected, tolerance }
}

/// Returns the last number of a text.
fn last_number(text: &str) -> Option<f64> {
    let last = NUMBER.as_ref()?.find_iter(text).last()?;
    last.as_str().replace(',', "").parse().ok()
}

impl Grader for NumberGrader {
    fn describe(&self) -> String {
        format!("ends in the number {} ± {}", self.expected, self.tolerance)
    }

    fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a> {
        let grade = match last_number(attempt.answer()) {
            Some(found) => {
                // False as well if one of the numbers is not a number.
                let passed = (found - self.expected).abs() <= self.tolerance;
                Grade::new(passed, format!("the last number is {found}"))
            }
            None => Grade::new(false, format!("the answer has no number: {:?}", shorten(attempt.answer()))),
        };
        Box::pin(ready(Ok(grade)))
    }
}

#[cfg(test)]
mod tests {
    //! Numbers in texts.

    use super::last_number;

    #[test]
    fn the_last_number_is_read_in_usual_notations() {
        for (text, expected) in [
            ("4", Some(4.0)),
            ("It is 1,234.5 in total.", Some(1234.5)),
            ("2 + 2 = 4.", Some(4.0)),
            ("-3.5e-2", Some(-0.035)),
            ("1,2", Some(2.0)),
            ("12,345,678 people", Some(12_345_678.0)),
            ("about .5", Some(0.5)),
            ("none", None),
            ("", None),
        ] {
            assert_eq!(last_number(text), expected, "{text}");
        }
    }
}
