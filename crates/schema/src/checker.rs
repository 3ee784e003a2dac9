//! Validation of arguments against a tool's schema.

#[cfg(feature = "jsonschema")]
mod complete;
#[cfg(any(test, not(feature = "jsonschema")))]
mod plain;

use std::fmt;

use serde_json::{Map, Value};
use windlass_protocol::{Arguments, RawJson};

use crate::Violation;
use crate::known_types::{uses_known_types, with_known_types};
use crate::work::{Names, is_too_much};

#[cfg(feature = "jsonschema")]
use complete::Engine;
#[cfg(not(feature = "jsonschema"))]
use plain::Engine;

/// Compiled form of a tool's own schema that checks the arguments of every call (RULES J10, N5).
///
/// A schema may come from an untrusted server. References are therefore never fetched from the network or the
/// disk, patterns run in linear time, and the size of schemas and the work of a check are limited.
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
    engine: Engine,
    /// The schema, for the explanation of violations.
    schema: Value,
    /// The index of the schemas that references can name.
    names: Names,
    /// True if properties are independent: no keyword at the schema's root makes one depend on another.
    is_plain: bool,
}

/// The part of a call's arguments that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// All arguments.
    Whole,
    /// One argument, while a required one may still arrive.
    OneArgument,
}

/// Error of compiling a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be compiled: {message} at {path}")]
#[non_exhaustive]
pub struct SchemaError {
    /// The description of the error.
    pub message: String,
    /// The position in the schema as a JSON Pointer; empty for the root.
    pub path: String,
}

/// Keywords of an object schema that keep its properties independent of each other.
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

/// Maximum number of reported violations. More do not help a model.
const TOLD: usize = 8;
/// Maximum number of violations whose paths are returned for coercion.
const MAX_PATHS: usize = 1_000;
/// Maximum length of a schema in bytes: far above the schemas of real servers, and below the size that takes
/// a second.
const MAX_SCHEMA_BYTES: usize = 256 * 1024;

impl Checker {
    /// Compiles a schema of any draft; the default is 2020-12.
    ///
    /// # Errors
    /// If the schema is invalid, refers to another document, or has more than 256 KiB.
    pub fn compile(schema: &RawJson) -> Result<Self, SchemaError> {
        let bytes = schema.as_str().len();
        if bytes > MAX_SCHEMA_BYTES {
            let message = format!("it has {bytes} bytes, and at most {MAX_SCHEMA_BYTES} are taken");
            return Err(SchemaError { message, path: String::new() });
        }
        let value = schema.to_value();
        // Types such as `dict` and `float` are replaced by the JSON types that they mean.
        let value = if uses_known_types(&value) { value } else { with_known_types(value) };
        let is_plain =
            value.as_object().is_some_and(|root| root.keys().all(|key| PLAIN.contains(&key.as_str())));
        let engine = Engine::compile(&value)?;
        Ok(Self { engine, names: Names::collect(&value), schema: value, is_plain })
    }

    /// Checks a call's arguments.
    ///
    /// # Errors
    /// With the first 8 violations. Arguments that would take more than a million visits of schemas are
    /// refused without a check.
    pub fn check(&self, arguments: &Arguments) -> Result<(), Vec<Violation>> {
        self.check_value(&arguments.to_value())
    }

    /// Checks one complete argument while others still stream. A returned violation holds whatever the other
    /// arguments are. If the schema makes properties depend on each other, nothing is checked and the result
    /// is `Ok`.
    ///
    /// # Errors
    /// As for [`Checker::check`].
    pub fn check_argument(&self, name: &str, value: &Value) -> Result<(), Vec<Violation>> {
        if !self.is_plain {
            return Ok(());
        }
        let arguments = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
        self.check_in(Scope::OneArgument, &arguments)
    }

    /// Returns the paths of the first 1,000 violations of a call's arguments, as JSON Pointers. The list is
    /// empty if the check would take too much work.
    pub fn wrong_paths(&self, arguments: &Arguments) -> Vec<String> {
        let value = arguments.to_value();
        if is_too_much(&self.schema, &self.names, &value) {
            return Vec::new();
        }
        self.engine.wrong_paths(&self.schema, &value, MAX_PATHS)
    }

    /// Checks a value.
    ///
    /// # Errors
    /// As for [`Checker::check`].
    pub fn check_value(&self, value: &Value) -> Result<(), Vec<Violation>> {
        self.check_in(Scope::Whole, value)
    }

    fn check_in(&self, scope: Scope, value: &Value) -> Result<(), Vec<Violation>> {
        if is_too_much(&self.schema, &self.names, value) {
            return Err(vec![Violation::too_expensive()]);
        }
        let violations = self.engine.violations(&self.schema, value, scope, TOLD);
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}
