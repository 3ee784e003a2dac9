//! A schema made ready for checking.

use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};
use windlass_protocol::{Arguments, RawJson};

use crate::Violation;
use crate::known_types::{uses_known_types, with_known_types};
use crate::work::{Names, is_too_much};

/// A tool's own schema, compiled once and used for every call (RULES J10, N5).
///
/// References are never fetched, from no network and no disk, and patterns run on an engine whose time is
/// linear, because a schema may come from a server that nobody here controls.
///
/// ```
/// use windlass_protocol::{Arguments, RawJson};
/// use windlass_schema::Checker;
///
/// let schema: RawJson = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#.parse()?;
/// let checker = Checker::compile(&schema)?;
/// assert!(checker.check(&Arguments::parse(r#"{"path":"a"}"#)?).is_ok());
/// let violations = checker.check(&Arguments::parse(r#"{"path":3}"#)?).unwrap_err();
/// assert_eq!(violations[0].to_string(), "/path: met the number 3, wanted a string");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Checker {
    validator: Validator,
    /// What violations are explained from.
    schema: Value,
    /// The schemas in it that references name.
    names: Names,
    /// Whether each property stands for itself: nothing at the schema's root makes one depend on another.
    is_plain: bool,
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be compiled: {message} at {path}")]
#[non_exhaustive]
pub struct SchemaError {
    /// What is wrong.
    pub message: String,
    /// Where in the schema, as a JSON Pointer; empty is the root.
    pub path: String,
}

/// The keywords of an object schema under which each property stands for itself.
const PLAIN: [&str; 11] = [
    "$comment",
    "$defs",
    "$schema",
    "additionalProperties",
    "definitions",
    "description",
    "patternProperties",
    "properties",
    "required",
    "title",
    "type",
];

/// The most violations that are told; more help no model.
const TOLD: usize = 8;
/// The most violations whose paths are given for repairs.
const MAX_PATHS: usize = 1_000;
/// The longest schema that is compiled, in bytes: far above what servers have, and below what costs a second.
const MAX_SCHEMA_BYTES: usize = 256 * 1024;

impl Checker {
    /// Compiles a schema of any draft; 2020-12 where it names none.
    ///
    /// # Errors
    /// If it is not a valid schema, refers to another document, or has more than 256 KiB.
    pub fn compile(schema: &RawJson) -> Result<Self, SchemaError> {
        let bytes = schema.as_str().len();
        if bytes > MAX_SCHEMA_BYTES {
            let message = format!("it has {bytes} bytes, and at most {MAX_SCHEMA_BYTES} are taken");
            return Err(SchemaError { message, path: String::new() });
        }
        let value = schema.to_value();
        // What an author calls a `dict` or a `float` is checked as what it means.
        let value = if uses_known_types(&value) { value } else { with_known_types(value) };
        let is_plain =
            value.as_object().is_some_and(|root| root.keys().all(|key| PLAIN.contains(&key.as_str())));
        jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::regex().size_limit(1 << 20).dfa_size_limit(1 << 20))
            .build(&value)
            .map(|validator| Self { validator, names: Names::of(&value), schema: value.clone(), is_plain })
            .map_err(|error| SchemaError {
                message: error.to_string(),
                path: error.instance_path().to_string(),
            })
    }

    /// Checks a call's arguments.
    ///
    /// # Errors
    /// With the first few things that are wrong, each with path, what was met and what is wanted. Arguments that take more
    /// than a million visits of schemas are refused before they are checked.
    pub fn check(&self, arguments: &Arguments) -> Result<(), Vec<Violation>> {
        self.check_value(&arguments.to_value())
    }

    /// Checks one argument that is complete, while others are still to come: what is told would be wrong
    /// whatever they are. Where the schema makes properties depend on each other, nothing is told early.
    ///
    /// # Errors
    /// As for [`Checker::check`].
    pub fn check_argument(&self, name: &str, value: &Value) -> Result<(), Vec<Violation>> {
        if !self.is_plain {
            return Ok(());
        }
        let arguments = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
        // Another argument that is missing may still come.
        let may_come = |error: &ValidationError<'_>| {
            matches!(error.kind(), ValidationErrorKind::Required { .. })
                && error.instance_path().as_str().is_empty()
        };
        if is_too_much(&self.schema, &self.names, &arguments) {
            return Err(vec![Violation::of_too_much()]);
        }
        let errors = self.validator.iter_errors(&arguments).filter(|error| !may_come(error));
        let violations: Vec<_> = errors.take(TOLD).map(|error| Violation::of(&error, &self.schema)).collect();
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    /// Returns the paths of the violations of a call's arguments, as JSON Pointers, at most a thousand. Arguments that take
    /// too much work to check have none.
    pub fn wrong_paths(&self, arguments: &Arguments) -> Vec<String> {
        let value = arguments.to_value();
        if is_too_much(&self.schema, &self.names, &value) {
            return Vec::new();
        }
        let errors = self.validator.iter_errors(&value).take(MAX_PATHS);
        errors.map(|error| error.instance_path().to_string()).collect()
    }

    /// Checks any value.
    ///
    /// # Errors
    /// As for [`Checker::check`].
    pub fn check_value(&self, value: &Value) -> Result<(), Vec<Violation>> {
        if is_too_much(&self.schema, &self.names, value) {
            return Err(vec![Violation::of_too_much()]);
        }
        let violations: Vec<_> = self
            .validator
            .iter_errors(value)
            .take(TOLD)
            .map(|error| Violation::of(&error, &self.schema))
            .collect();
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}
