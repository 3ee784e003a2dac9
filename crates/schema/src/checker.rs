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
use crate::limits::MAX_SCHEMA_BYTES;
use crate::work::{Names, visits};

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
/// assert_eq!(violations[0].to_string(), "/path: found the number 3, expected a string");
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
    /// True if the schema has `anyOf` or `oneOf`, whose errors contain all errors of their branches.
    has_union: bool,
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
/// Maximum number of patterns in a schema, and maximum size of all compiled patterns together, in bytes.
const MAX_PATTERNS: usize = 256;
const ALL_PATTERN_BYTES: usize = 8 * 1024 * 1024;
/// Maximum size of one compiled pattern, in bytes.
const PATTERN_BYTES: usize = 1024 * 1024;
/// Maximum number of visits of a check whose violations are listed. The complete engine collects all of them,
/// with their paths, before it returns the first one. Beyond this number only one violation is reported.
const MAX_LISTED_VISITS: usize = 50_000;
/// Maximum length of a path that is returned for coercion, in bytes.
const MAX_PATH_BYTES: usize = 1_024;

impl Checker {
    /// Compiles a schema of any draft; the default is 2020-12.
    ///
    /// # Errors
    /// If the schema is invalid, refers to another document, has more than 256 KiB or 256 patterns, or its patterns are
    /// too large.
    pub fn compile(schema: &RawJson) -> Result<Self, SchemaError> {
        let bytes = schema.as_str().len();
        if bytes > MAX_SCHEMA_BYTES {
            let message = format!("it has {bytes} bytes, and at most {MAX_SCHEMA_BYTES} are allowed");
            return Err(SchemaError { message, path: String::new() });
        }
        let value = schema.to_value();
        let parts = Parts::from_schema(&value);
        if parts.patterns > MAX_PATTERNS {
            let message = format!(
                "it has {} patterns, and at most {MAX_PATTERNS} are \
                 allowed",
                parts.patterns
            );
            return Err(SchemaError { message, path: String::new() });
        }
        let share = ALL_PATTERN_BYTES.checked_div(parts.patterns).unwrap_or(PATTERN_BYTES);
        let pattern_bytes = share.min(PATTERN_BYTES);
        // Types such as `dict` and `float` are replaced by the JSON types that they mean.
        let value = if uses_known_types(&value) { value } else { with_known_types(value) };
        let is_plain =
            value.as_object().is_some_and(|root| root.keys().all(|key| PLAIN.contains(&key.as_str())));
        let engine = Engine::compile(&value, pattern_bytes)?;
        let has_union = parts.has_union;
        Ok(Self { engine, names: Names::collect(&value), schema: value, is_plain, has_union })
    }

    /// Checks a call's arguments.
    ///
    /// # Errors
    /// With the first 8 violations. Arguments that would take more than a million visits of schemas are
    /// refused without a check.
    pub fn check(&self, arguments: &Arguments) -> Result<(), Vec<Violation>> {
        self.check_value(arguments.as_value())
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

    /// Returns the paths of the first 1,000 violations of a call's arguments, as JSON Pointers. Paths of more than
    /// 1,024 bytes are left out. The list is empty if the check would take too much work.
    pub fn wrong_paths(&self, arguments: &Arguments) -> Vec<String> {
        let value = arguments.as_value();
        let Ok(visits) = self.visits(value) else { return Vec::new() };
        let paths = match visits {
            0..=MAX_LISTED_VISITS => self.engine.wrong_paths(&self.schema, value, MAX_PATHS),
            _ if self.has_union => Vec::new(),
            _ => self.engine.first_wrong_path(&self.schema, value).into_iter().collect(),
        };
        paths.into_iter().filter(|path| path.len() <= MAX_PATH_BYTES).collect()
    }

    /// Checks a value.
    ///
    /// # Errors
    /// As for [`Checker::check`].
    pub fn check_value(&self, value: &Value) -> Result<(), Vec<Violation>> {
        self.check_in(Scope::Whole, value)
    }

    /// Checks a value. A large value has at most one violation; if the schema has unions, it is not described, and one
    /// argument alone is not checked.
    fn check_in(&self, scope: Scope, value: &Value) -> Result<(), Vec<Violation>> {
        let violations = match self.visits(value)? {
            0..=MAX_LISTED_VISITS => self.engine.violations(&self.schema, value, scope, TOLD),
            _ if !self.has_union => {
                self.engine.first_violation(&self.schema, value, scope).into_iter().collect()
            }
            _ if scope == Scope::OneArgument || self.engine.is_valid(&self.schema, value) => Vec::new(),
            _ => vec![Violation::too_expensive()],
        };
        let violations: Vec<_> = violations.into_iter().map(Violation::with_short_path).collect();
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    fn visits(&self, value: &Value) -> Result<usize, Vec<Violation>> {
        visits(&self.schema, &self.names, value).ok_or_else(|| vec![Violation::too_expensive()])
    }
}

/// The parts of a schema that need a limit of their own.
#[derive(Default)]
struct Parts {
    patterns: usize,
    has_union: bool,
}

impl Parts {
    fn from_schema(schema: &Value) -> Self {
        let mut parts = Self::default();
        let mut open = vec![schema];
        while let Some(value) = open.pop() {
            if let Value::Object(members) = value {
                parts.has_union |= members.contains_key("anyOf") || members.contains_key("oneOf");
                let named = members.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
                let own = usize::from(members.get("pattern").is_some_and(Value::is_string));
                parts.patterns = parts.patterns.saturating_add(named).saturating_add(own);
                open.extend(members.values());
            } else if let Value::Array(items) = value {
                open.extend(items);
            }
        }
        parts
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}
