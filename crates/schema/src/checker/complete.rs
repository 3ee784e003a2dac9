//! The complete vocabulary of JSON Schema, in every draft.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::{SchemaError, Scope};
use crate::violation::{Violation, alternatives, article, list_names, options_of, properties, short, show};

/// The validator of one schema.
pub(super) struct Engine(Validator);

impl Engine {
    /// Compiles a schema whose patterns have at most `pattern_bytes` bytes each when they are compiled.
    pub(super) fn compile(schema: &Value, pattern_bytes: usize) -> Result<Self, SchemaError> {
        let patterns = PatternOptions::regex().size_limit(pattern_bytes).dfa_size_limit(pattern_bytes);
        jsonschema::options().offline().with_pattern_options(patterns).build(schema).map(Self).map_err(
            |error| SchemaError { message: error.to_string(), path: error.instance_path().to_string() },
        )
    }

    /// Returns the first violations.
    pub(super) fn violations(
        &self,
        schema: &Value,
        value: &Value,
        scope: Scope,
        most: usize,
    ) -> Vec<Violation> {
        let errors = self.0.iter_errors(value).filter(|error| counts(error, scope));
        errors.take(most).map(|error| violation(&error, schema)).collect()
    }

    /// Returns the first violation without the others, which would take more time and memory.
    pub(super) fn first_violation(&self, schema: &Value, value: &Value, scope: Scope) -> Option<Violation> {
        let error = self.0.validate(value).err().filter(|error| counts(error, scope))?;
        Some(violation(&error, schema))
    }

    pub(super) fn is_valid(&self, _: &Value, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Returns the paths of the first violations.
    pub(super) fn wrong_paths(&self, _: &Value, value: &Value, most: usize) -> Vec<String> {
        let errors = self.0.iter_errors(value).take(most);
        errors.map(|error| error.instance_path().to_string()).collect()
    }

    /// Returns the path of the first violation.
    pub(super) fn first_wrong_path(&self, _: &Value, value: &Value) -> Option<String> {
        self.0.validate(value).err().map(|error| error.instance_path().to_string())
    }
}

/// Returns true if an error belongs to a scope. A missing argument may still arrive.
fn counts(error: &ValidationError<'_>, scope: Scope) -> bool {
    let is_missing = matches!(error.kind(), ValidationErrorKind::Required { .. });
    scope == Scope::Whole || !(is_missing && error.instance_path().as_str().is_empty())
}

/// Describes a validation error. The schema supplies alternatives, such as similar property names.
fn violation(error: &ValidationError<'_>, schema: &Value) -> Violation {
    let wanted = describe_expectation(error, schema).unwrap_or_else(|| error.masked().to_string());
    Violation::new(error.instance_path().to_string(), describe_value(error), wanted)
}

fn describe_value(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property } => format!("no {}", text_of(property)),
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            format!("the unknown {}", list_names(unexpected))
        }
        _ => show(error.instance()),
    }
}

fn describe_expectation(error: &ValidationError<'_>, schema: &Value) -> Option<String> {
    Some(match error.kind() {
        ValidationErrorKind::Required { property } => format!("the required {}", text_of(property)),
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            list_properties(error, unexpected, schema)
        }
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => article(&kind.to_string()),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(kinds) } => {
            kinds.iter().map(|kind| article(&kind.to_string())).collect::<Vec<_>>().join(" or ")
        }
        ValidationErrorKind::Enum { options } => options_of(options, error.instance()),
        ValidationErrorKind::Constant { expected_value } => short(&expected_value.to_string()),
        ValidationErrorKind::Minimum { limit } => format!("at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        ValidationErrorKind::MinLength { limit } => format!("at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::MinProperties { limit } => format!("at least {limit} properties"),
        ValidationErrorKind::MaxProperties { limit } => format!("at most {limit} properties"),
        ValidationErrorKind::UniqueItems => "no item twice".to_owned(),
        ValidationErrorKind::Pattern { pattern } => format!("a text that matches {}", short(pattern)),
        ValidationErrorKind::Format { format } => format!("a text of the format {format}"),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            branches(error, context, schema)?
        }
        _ => return None,
    })
}

/// Describes the first expectation of each branch of a union.
fn branches(
    error: &ValidationError<'_>,
    context: &[Vec<ValidationError<'static>>],
    schema: &Value,
) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for inner in context.iter().filter_map(|errors| errors.first()) {
        let wanted = describe_expectation(inner, schema)?;
        let at =
            inner.instance_path().as_str().strip_prefix(error.instance_path().as_str()).unwrap_or_default();
        let words = if at.is_empty() { wanted } else { format!("{wanted} at {at}") };
        if !told.contains(&words) {
            told.push(words);
        }
    }
    Some(alternatives(told))
}

/// Lists the properties of the object schema that an error is about.
fn list_properties(error: &ValidationError<'_>, unexpected: &[String], schema: &Value) -> String {
    let place = error.schema_path().as_str().rsplit_once('/').map_or("", |(place, _)| place);
    let known = schema.pointer(place).and_then(|place| place.get("properties")?.as_object());
    properties(known, error.instance().as_object(), unexpected)
}

fn text_of(property: &Value) -> String {
    property.as_str().map_or_else(|| property.to_string(), |name| format!("`{name}`"))
}
