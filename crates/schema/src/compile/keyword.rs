//! Compilation of a schema's keywords, in the author's order.

use super::kinds::is_about;
use super::pattern::{is_anchored, looks_around};
use super::words::Words;
use super::{Compiler, Place, is_annotation};
use crate::json::{Json, Members};
use crate::kind::Kind;
use crate::rules::{Formats, Patterns, Types};

/// Largest bound (2^53). Above it not every integer is exact in a 64-bit float.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Compiler<'_> {
    /// Compiles a schema for these kinds. There is more than one kind only if the dialect accepts a list of
    /// types.
    pub(super) fn one(&mut self, members: &Members, kinds: &[Kind], place: &Place) -> Json {
        let mut words = Words::default();
        let mut out = Members::new();
        for (key, value) in members.iter() {
            let is_idle = !kinds.is_empty() && kinds.iter().all(|kind| is_about(key, *kind) == Some(false));
            if is_idle && self.rules.keywords.is_some() {
                continue;
            }
            // `items: false` after `prefixItems` ends the list. The first items will be joined to one schema,
            // in which "nothing" must not become "anything".
            let ends_here = key == "items" && *value == Json::Bool(false) && members.has("prefixItems");
            if ends_here && !self.takes("prefixItems") {
                continue;
            }
            if let Some(value) = self.keyword(key, value, place, &mut words) {
                out.push(key, value);
            }
        }
        if self.rules.types == Types::One {
            one_type(&mut out, kinds);
        }
        if kinds.contains(&Kind::Array) || out.has("prefixItems") {
            out = self.list(out, place);
        }
        if kinds.contains(&Kind::Object) {
            out = self.object(out, place, &mut words);
        } else {
            self.only_known_required(&mut out, place);
        }
        Json::Object(words.into(out))
    }

    /// Returns the compiled value of a keyword, or `None` if the keyword is left out.
    fn keyword(&mut self, key: &str, value: &Json, place: &Place, words: &mut Words) -> Option<Json> {
        match key {
            "properties"
            | "patternProperties"
            | "dependentSchemas"
            | "items"
            | "additionalProperties"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "anyOf"
            | "oneOf"
            | "allOf"
            | "prefixItems" => self.compile_nested(key, value, place),
            "required" | "type" => Some(value.clone()),
            "enum" => self.enumeration(value, place, words),
            _ if is_annotation(key) => {
                if self.takes(key) {
                    return Some(value.clone());
                }
                if matches!(key, "default" | "examples") {
                    words.value(key, value);
                } else if key == "title" {
                    words.title(value);
                }
                None
            }
            _ if !self.takes(key) => {
                if is_constraint(key) {
                    self.drop_constraint(key, value, place, words);
                }
                None
            }
            _ if self.fits(key, value) => Some(value.clone()),
            _ => {
                self.drop_constraint(key, value, place, words);
                None
            }
        }
    }

    /// Compiles a keyword whose value consists of schemas.
    fn compile_nested(&mut self, key: &str, value: &Json, place: &Place) -> Option<Json> {
        // The completion of objects and lists needs these keywords.
        let is_needed = matches!(key, "additionalProperties" | "prefixItems");
        if !self.takes(key) && !is_needed {
            self.lose(place, key, "is not sent");
            return None;
        }
        Some(match (key, value) {
            ("properties", Json::Object(properties)) => self.properties(properties, place),
            ("patternProperties" | "dependentSchemas", Json::Object(schemas)) => {
                let mut out = Members::new();
                for (name, schema) in schemas.iter() {
                    let compiled = self.schema(schema, &place.member_of(key, name));
                    out.push(name, compiled);
                }
                Json::Object(out)
            }
            ("additionalProperties", Json::Bool(_)) => value.clone(),
            ("anyOf" | "oneOf" | "allOf", Json::Array(branches)) => {
                let mut out = Vec::new();
                for (position, branch) in branches.iter().enumerate() {
                    out.push(self.schema(branch, &place.same_value(key, &position.to_string())));
                }
                Json::Array(out)
            }
            ("prefixItems", Json::Array(items)) => {
                let mut out = Vec::new();
                for (position, item) in items.iter().enumerate() {
                    out.push(self.schema(item, &place.member_of(key, &position.to_string())));
                }
                Json::Array(out)
            }
            ("items" | "additionalProperties" | "contains" | "propertyNames", schema) => {
                self.schema(schema, &place.member_of(key, ""))
            }
            (_, schema) => self.schema(schema, &place.same_value(key, "")),
        })
    }

    pub(super) fn takes(&self, key: &str) -> bool {
        self.rules.keywords.is_none_or(|keywords| keywords.contains(&key))
    }

    /// Returns whether the dialect accepts this value of a keyword that it knows.
    fn fits(&self, key: &str, value: &Json) -> bool {
        match (key, value) {
            ("format", Json::String(format)) => match self.rules.formats {
                Formats::Kept => true,
                Formats::Only(formats) => formats.contains(&format.as_str()),
            },
            ("pattern", Json::String(pattern)) => match self.rules.patterns {
                Patterns::Kept => true,
                Patterns::Regular => !looks_around(pattern),
                Patterns::Anchored => is_anchored(pattern),
            },
            ("minLength" | "maxLength" | "minItems" | "maxItems", _) => {
                value.as_f64().is_some_and(|number| number <= self.rules.limits.repetitions)
            }
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", _) => {
                self.rules.limits.repetitions.is_infinite()
                    || value.as_f64().is_some_and(|number| number.abs() <= EXACT)
            }
            _ => true,
        }
    }

    fn drop_constraint(&mut self, key: &str, value: &Json, place: &Place, words: &mut Words) {
        let what = if words.value(key, value) { "is stated only in the description" } else { "is not sent" };
        self.lose(place, key, what);
    }

    /// Keeps the annotations that the dialect accepts, and moves the others to the description.
    pub(super) fn annotations(&mut self, members: Members) -> Members {
        let (mut out, mut words) = (Members::new(), Words::default());
        let place = Place::default();
        for (key, value) in members {
            if let Some(value) = self.keyword(&key, &value, &place, &mut words) {
                out.push(key, value);
            }
        }
        words.into(out)
    }
}

/// Sets Gemini's `type`, a single word, and `nullable` for null.
fn one_type(out: &mut Members, kinds: &[Kind]) {
    let value = kinds.iter().find(|kind| **kind != Kind::Null);
    match value {
        Some(kind) => {
            out.set("type", Json::text(kind.word()));
            if kinds.contains(&Kind::Null) {
                out.set("nullable", Json::Bool(true));
            }
        }
        // Only null is accepted: Gemini has a type of its own for it.
        None => out.set("type", Json::text(Kind::Null.word())),
    }
}

/// Returns whether a keyword of JSON Schema restricts values. Unknown keywords restrict nothing.
fn is_constraint(keyword: &str) -> bool {
    matches!(
        keyword,
        "dependentRequired"
            | "exclusiveMaximum"
            | "exclusiveMinimum"
            | "format"
            | "maxContains"
            | "maxItems"
            | "maxLength"
            | "maxProperties"
            | "maximum"
            | "minContains"
            | "minItems"
            | "minLength"
            | "minProperties"
            | "minimum"
            | "multipleOf"
            | "pattern"
            | "uniqueItems"
    )
}
