//! Conversions of errors into `ToolError`, and of values into `Output`.

use std::error::Error;
use std::{fmt, io};

use windlass_tool::{Output, ToolError};

/// An error with a text and a source.
#[derive(Debug)]
struct Layer(&'static str, Option<Box<dyn Error + Send + Sync>>);

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for Layer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.1.as_deref().map(|source| source as _)
    }
}

fn layer(text: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Layer {
    Layer(text, Some(source.into()))
}

#[track_caller]
fn check(error: &ToolError, expected: &str) {
    assert!(matches!(error, ToolError::Model(_)), "{error:?}");
    assert_eq!(error.to_string(), expected);
}

#[track_caller]
fn check_json<T: serde::Serialize + ?Sized>(value: &T, expected: &str) {
    assert_eq!(Output::json(value).unwrap().words(), expected);
}

#[test]
fn an_error_message_contains_its_sources() {
    let disk = || layer("write failed", Layer("the disk is full", None));
    check(&ToolError::from_error(disk()), "write failed: the disk is full");
    check(
        &ToolError::from_error(layer("the note was not saved", disk())),
        "the note was not saved: write failed: the disk is full",
    );
    check(&ToolError::describe(&disk()), "write failed: the disk is full");
    check(&ToolError::from_error("plain words"), "plain words");
}

#[test]
fn a_source_that_its_error_names_is_not_repeated() {
    let error = layer("write failed: the disk is full", Layer("the disk is full", None));
    check(&ToolError::from_error(error), "write failed: the disk is full");
}

// An error can be its own source; the text must stay bounded.
#[test]
fn the_number_of_sources_is_bounded() {
    let last = Layer("end", None);
    let names = ["a", "b", "c", "d", "e"].into_iter().cycle().take(40);
    let error = names.fold(last, |source, name| layer(name, source));
    assert_eq!(ToolError::describe(&error).to_string().split(": ").count(), 17);
}

#[test]
fn a_boxed_fatal_error_stays_fatal() {
    let boxed: Box<dyn Error + Send + Sync> = ToolError::fatal("no database").into();
    assert!(matches!(ToolError::from(boxed), ToolError::Fatal(_)));
    let boxed: Box<dyn Error + Send + Sync> = ToolError::Deferred.into();
    assert!(matches!(ToolError::from_error(boxed), ToolError::Deferred));
}

#[test]
fn question_mark_converts_io_and_boxed_errors() {
    let io = || -> Result<(), ToolError> { Err(io::Error::other("the disk is full"))? };
    check(&io().unwrap_err(), "the disk is full");
    let boxed = || -> Result<(), ToolError> { Err(Box::<dyn Error + Send + Sync>::from("no"))? };
    check(&boxed().unwrap_err(), "no");
}

#[test]
fn a_value_is_its_json_and_a_string_is_itself() {
    check_json(&42, "42");
    check_json(&true, "true");
    check_json("two \"words\"", "two \"words\"");
    check_json(&Some("word"), "word");
    check_json(&None::<String>, "null");
    check_json(&vec![("a", 1)], r#"[["a",1]]"#);
    // Members keep their order, and numbers their digits.
    check_json(&std::collections::BTreeMap::from([("z", u64::MAX)]), r#"{"z":18446744073709551615}"#);
    let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert!(matches!(Output::json(&keys), Err(ToolError::Fatal(_))));
}
