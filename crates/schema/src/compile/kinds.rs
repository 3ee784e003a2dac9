//! Kinds of value that a schema accepts: named, inferred, or split into one schema for each kind.

use super::mend::{kinds_of, types};
use super::{Compiler, Place, is_annotation};
use crate::json::{Json, Members};
use crate::kind::Kind;
use crate::rules::{Types, Unions};

/// Types that replace "anything" in a dialect that requires a type.
const SCALARS: [Kind; 4] = [Kind::String, Kind::Number, Kind::Boolean, Kind::Null];

impl Compiler<'_> {
    /// Compiles a schema whose references and, if the dialect needs it, branches are resolved.
    pub(super) fn typed(&mut self, mut members: Members, place: &Place) -> Json {
        let said = members.get("type").map(kinds_of);
        let kinds = said.unwrap_or_else(|| self.infer_kinds(&members, place));
        let kinds = self.narrow_enum(kinds, &mut members, place);
        if self.rules.types != Types::Kept && kinds.is_empty() {
            self.lose(
                place,
                "type",
                "is missing, and is required here: strings, numbers and booleans are \
                 accepted",
            );
            return self.anything(members);
        }
        if !kinds.is_empty() {
            members.set("type", types(&kinds));
        }
        let values: Vec<Kind> = kinds.iter().copied().filter(|kind| *kind != Kind::Null).collect();
        let holds = |kind: &Kind| matches!(kind, Kind::Object | Kind::Array);
        let splits = match self.rules.types {
            Types::Kept => false,
            Types::Said => values.len() > 1 && values.iter().any(holds),
            Types::One => values.len() > 1,
        };
        let compiled =
            if splits { self.split(members, &kinds, place) } else { self.one(&members, &kinds, place) };
        match compiled {
            Json::Object(said) if said.is_empty() => self.anything(said),
            compiled => compiled,
        }
    }

    /// Infers the kinds of a schema without `type`.
    fn infer_kinds(&mut self, members: &Members, place: &Place) -> Vec<Kind> {
        if let Some(Json::Array(values)) = members.get("enum") {
            let mut kinds = Vec::new();
            for kind in values.iter().map(kind_of) {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            if kinds.contains(&Kind::Number) {
                kinds.retain(|kind| *kind != Kind::Integer);
            }
            return kinds;
        }
        // A type that is inferred beside branches can be wrong.
        let branches = ["anyOf", "oneOf", "allOf", "not", "if", "$ref"];
        if branches.iter().any(|word| members.has(word)) {
            return Vec::new();
        }
        let about = |key: &str| Kind::ALL.into_iter().find(|kind| is_about(key, *kind) == Some(true));
        let Some(kind) = members.keys().find_map(about) else { return Vec::new() };
        if self.rules.types != Types::Kept {
            self.lose(
                place,
                "type",
                format!(
                    "is missing, and is required here: only {} is \
                     accepted",
                    kind_name(kind)
                ),
            );
            return vec![kind];
        }
        Vec::new()
    }

    /// Removes the enum values that contradict the kinds.
    fn narrow_enum(&mut self, kinds: Vec<Kind>, members: &mut Members, place: &Place) -> Vec<Kind> {
        let Some(Json::Array(values)) = members.get("enum") else { return kinds };
        if kinds.is_empty() {
            return kinds;
        }
        let takes = |value: &Json| match kind_of(value) {
            Kind::Integer => kinds.contains(&Kind::Integer) || kinds.contains(&Kind::Number),
            kind => kinds.contains(&kind),
        };
        let kept: Vec<Json> = values.iter().filter(|value| takes(value)).cloned().collect();
        if kept.len() == values.len() {
            return kinds;
        }
        // Gemini's own examples have numbers as strings under `enum`; elsewhere this is an author's mistake.
        if kept.is_empty() {
            members.remove("enum");
            self.lose(place, "enum", "has no value of the stated type, and is not sent");
        } else {
            members.set("enum", Json::Array(kept));
        }
        kinds
    }

    /// Splits a schema into one branch for each kind.
    fn split(&mut self, members: Members, kinds: &[Kind], place: &Place) -> Json {
        let (mut outer, mut inner) = (Members::new(), Members::new());
        for (key, value) in members {
            if is_annotation(&key) { outer.push(key, value) } else { inner.push(key, value) }
        }
        let mut branches = Vec::new();
        for kind in kinds {
            let mut branch: Members = inner
                .iter()
                .filter(|(key, _)| is_about(key, *kind) != Some(false))
                .map(|(key, value)| (key.to_owned(), value.clone()))
                .collect();
            branch.set("type", types(&[*kind]));
            let branch = narrow_enum(branch, *kind);
            branches.extend(branch.map(|branch| self.one(&branch, &[*kind], place)));
        }
        self.join_branches(outer, branches)
    }

    /// Returns a schema that accepts anything, as far as the dialect can express it.
    pub(super) fn anything(&mut self, members: Members) -> Json {
        let outer: Members = members.into_iter().filter(|(key, _)| is_annotation(key)).collect();
        let mut out = self.annotations(outer);
        match self.rules.types {
            Types::Kept if self.rules.unions == Unions::Kept => Json::Object(out),
            // llama.cpp treats `{}` as an object, but not a schema with a description.
            Types::Kept => {
                if out.is_empty() {
                    out.push("description", Json::text("Any value."));
                }
                Json::Object(out)
            }
            Types::Said => {
                out.set("type", types(&SCALARS));
                Json::Object(out)
            }
            Types::One => {
                let scalar = |kind: &Kind| Json::member("type", types(&[*kind]));
                self.join_branches(out, SCALARS.iter().map(scalar).collect())
            }
        }
    }
}

/// Keeps the enum values of one kind. Returns `None` if the enum has no value of this kind.
fn narrow_enum(mut branch: Members, kind: Kind) -> Option<Members> {
    if let Some(Json::Array(values)) = branch.get("enum") {
        let fits =
            |value: &&Json| kind_of(value) == kind || kind == Kind::Number && kind_of(value) == Kind::Integer;
        let kept: Vec<Json> = values.iter().filter(fits).cloned().collect();
        if kept.is_empty() {
            return None;
        }
        branch.set("enum", Json::Array(kept));
    }
    Some(branch)
}

/// Returns the kind of a value.
pub(super) fn kind_of(value: &Json) -> Kind {
    match value {
        Json::Null => Kind::Null,
        Json::Bool(_) => Kind::Boolean,
        Json::Number(text) if text.contains(['.', 'e', 'E']) => Kind::Number,
        Json::Number(_) => Kind::Integer,
        Json::String(_) => Kind::String,
        Json::Array(_) => Kind::Array,
        Json::Object(_) => Kind::Object,
    }
}

/// Returns whether a keyword applies to values of a kind, or `None` for a keyword that applies to all kinds.
pub(super) fn is_about(keyword: &str, kind: Kind) -> Option<bool> {
    let about: &[Kind] = match keyword {
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => &[Kind::Object],
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" | "minContains"
        | "maxContains" | "unevaluatedItems" => &[Kind::Array],
        "pattern" | "minLength" | "maxLength" => &[Kind::String],
        "format" => &[Kind::String, Kind::Number, Kind::Integer],
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            &[Kind::Number, Kind::Integer]
        }
        _ => return None,
    };
    Some(about.contains(&kind))
}

fn kind_name(kind: Kind) -> String {
    match kind {
        Kind::Integer | Kind::Object | Kind::Array => format!("an {}", kind.word()),
        Kind::Null => "null".to_owned(),
        _ => format!("a {}", kind.word()),
    }
}
