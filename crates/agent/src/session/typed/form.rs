//! The JSON form of a type or a schema.

use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use windlass_protocol::{Arguments, Payload, RawJson};
use windlass_schema::{AcceptedKinds, Checker, WantedKind, coerce};
use windlass_tool_args::schemars::{self, JsonSchema};
use windlass_tool_args::{read_arguments, schema_of};

use super::answer_text::AnswerText;
use crate::AgentError;

/// The member of the object around a value that is not an object.
pub(crate) const MEMBER: &str = "answer";
/// The maximum number of values of one text that are tried.
const MAX_VALUES: usize = 16;
/// The maximum nesting of a schema whose references are changed.
const MAX_DEPTH: usize = 64;
/// Keywords of a schema that combine or replace it. A provider does not accept them at the root.
const COMBINATIONS: [&str; 8] = ["$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"];
/// Keywords whose content is data and not a schema.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];
/// Keywords with definitions that references name by their place below the root.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The JSON form of an answer: the schema that the model gets, whether a member of an object holds the value, and the
/// check of the value.
#[derive(Debug)]
pub(crate) struct Form<T> {
    schema: RawJson,
    is_wrapped: bool,
    /// The check for a schema that is known only at run time; a type checks its values itself.
    checker: Option<Checker>,
    answer: PhantomData<fn() -> T>,
}

/// An object around a value that is not an object, because providers enforce only schemas of objects.
#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct AnswerObject<T> {
    /// The answer.
    answer: T,
}

impl<T: JsonSchema> Form<T> {
    pub(crate) fn for_type() -> Self {
        let schema = schema_of::<T>();
        let is_wrapped = !is_object(&schema.to_value());
        let schema = if is_wrapped { schema_of::<AnswerObject<T>>() } else { schema };
        Self { schema, is_wrapped, checker: None, answer: PhantomData }
    }
}

impl Form<Value> {
    /// Creates the form of a schema.
    ///
    /// # Errors
    /// The schema is invalid, or exceeds a limit.
    pub(crate) fn for_schema(schema: &RawJson) -> Result<Self, AgentError> {
        let value = schema.to_value();
        let is_wrapped = !is_object(&value);
        let schema = if is_wrapped { RawJson::from(&wrap(value)) } else { schema.clone() };
        let checker =
            Checker::compile(&schema).map_err(|error| AgentError::Schema { message: error.to_string() })?;
        Ok(Self { schema, is_wrapped, checker: Some(checker), answer: PhantomData })
    }
}

impl<T> Form<T> {
    pub(crate) fn schema(&self) -> &RawJson {
        &self.schema
    }

    /// Returns whether the value is the member [`MEMBER`] of an object.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.is_wrapped
    }

    pub(crate) fn instruction(&self) -> String {
        format!(
            "Answer with one JSON object and nothing else. It has this JSON Schema: {}",
            self.schema.as_str()
        )
    }

    pub(crate) fn correction(&self, problem: &str) -> String {
        format!("Your answer cannot be used: {problem}. {}", self.instruction())
    }
}

impl<T: DeserializeOwned> Form<T> {
    /// Reads the first value in a text that fits.
    ///
    /// # Errors
    /// Returns the place and the reason for the last value, in words for the model.
    pub(crate) fn read_text(&self, answer: &mut AnswerText) -> Result<T, String> {
        let mut problem = None;
        for _ in 0..MAX_VALUES {
            match answer.complete_value().map(|value| self.read(value)) {
                Some(Ok(value)) => return Ok(value),
                Some(Err(unfit)) => problem = Some(unfit),
                None => {}
            }
            if !answer.skip_value() {
                break;
            }
        }
        match problem {
            Some(problem) => Err(problem),
            None if answer.is_open() => Err("it ends before its JSON object is complete".to_owned()),
            None => self.read(strip_fence(answer.text())),
        }
    }

    /// Reads the JSON text of a value. A model can leave out the object around a value.
    ///
    /// # Errors
    /// Returns the place and the reason, in words for the model.
    pub(crate) fn read(&self, text: &str) -> Result<T, String> {
        let plain = Arguments::parse(text);
        let arguments = match plain {
            Ok(arguments) if !self.is_wrapped || arguments.get(MEMBER).is_some() => arguments,
            Err(error) if !self.is_wrapped => return Err(format!("it is not a JSON object: {error}")),
            _ => Arguments::parse(format!("{{\"{MEMBER}\":{text}}}"))
                .map_err(|error| format!("it is not JSON: {error}"))?,
        };
        let (arguments, _) = coerce(&self.schema, &arguments);
        if let Some(checker) = &self.checker {
            checker.check(&arguments).map_err(|violations| {
                violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            })?;
        }
        let payload = Payload::Function { arguments };
        let read = if self.is_wrapped {
            read_arguments::<AnswerObject<T>>(&payload).map(|wrapped| wrapped.answer)
        } else {
            read_arguments(&payload)
        };
        read.map_err(|error| error.to_string())
    }
}

/// Returns whether a schema accepts objects only, by its type and without a union or a reference at its root.
/// `properties` without a type accept every value that is not an object.
fn is_object(schema: &Value) -> bool {
    let kinds = AcceptedKinds::from_schema(schema, schema);
    let others =
        [WantedKind::String, WantedKind::Number, WantedKind::Boolean, WantedKind::Null, WantedKind::Array];
    schema.get("type").is_some()
        && kinds.takes(WantedKind::Object)
        && !others.into_iter().any(|kind| kinds.takes(kind))
        && !COMBINATIONS.into_iter().any(|keyword| schema.get(keyword).is_some())
}

/// Returns the schema of an object whose member has this schema. Definitions move to the root, and other references
/// within the schema follow it.
fn wrap(mut schema: Value) -> Value {
    let mut definitions = Map::new();
    move_references(&mut schema, MAX_DEPTH);
    if let Value::Object(members) = &mut schema {
        members.remove("$schema");
        for keyword in DEFINITIONS {
            definitions.extend(members.remove(keyword).map(|content| (keyword.to_owned(), content)));
        }
    }
    let mut object = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), json!({ MEMBER: schema })),
        ("required".to_owned(), json!([MEMBER])),
        ("additionalProperties".to_owned(), json!(false)),
    ]);
    object.extend(definitions);
    Value::Object(object)
}

/// Changes references to the root of a schema, and to places below it other than definitions, into references to the
/// place of the schema in its object.
fn move_references(schema: &mut Value, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match schema {
        Value::Object(members) => {
            for (keyword, value) in members.iter_mut() {
                if keyword == "$ref"
                    && let Value::String(target) = value
                {
                    *target = move_reference(target);
                } else if !DATA.contains(&keyword.as_str()) {
                    move_references(value, depth);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_references(item, depth)),
        _ => {}
    }
}

fn move_reference(target: &str) -> String {
    let is_definition = |place: &str| DEFINITIONS.iter().any(|keyword| place.starts_with(keyword));
    match target.strip_prefix('#') {
        Some("") => format!("#/properties/{MEMBER}"),
        Some(place) if place.strip_prefix('/').is_some_and(|place| !is_definition(place)) => {
            format!("#/properties/{MEMBER}{place}")
        }
        _ => target.to_owned(),
    }
}

/// Returns the content of a text that is one code fence, or else the text, without white space around it.
fn strip_fence(text: &str) -> &str {
    let text = text.trim();
    let content = text.strip_prefix("```").and_then(|rest| rest.split_once('\n'));
    content.map_or(text, |(_, content)| content.strip_suffix("```").unwrap_or(content).trim())
}

#[cfg(test)]
mod tests;
