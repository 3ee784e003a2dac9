//! Compilation of a schema's root, which always becomes a plain object.

use std::collections::{BTreeMap, BTreeSet};

use super::mend::{kinds_of, mend};
use super::merge::both;
use super::object::AS_TEXT;
use super::reference::keep_referenced;
use super::union::says_no_shape;
use super::words::Words;
use super::{Compiler, Place, size};
use crate::compiled::{Restoration, RootUnion};
use crate::dialect::Dialect;
use crate::json::{Json, Members};
use crate::kind::Kind;
use crate::limits::MAX_SCHEMA_BYTES;
use crate::loss::{Loss, Losses};
use crate::rules::Objects;

/// Maximum number of JSON values in a schema.
const VALUES: usize = 50_000;

/// Property that wraps the arguments if the root cannot be expressed as a plain object.
pub(crate) const WRAPPER: &str = "arguments";

/// Compiles a whole schema. It always returns a usable schema.
pub(crate) fn compile(text: &str, dialect: Dialect, union: RootUnion) -> (Json, Vec<Loss>, Restoration) {
    let document = if text.len() > MAX_SCHEMA_BYTES { None } else { Json::parse(text).ok() };
    match document.filter(|document| size(document, VALUES) < VALUES) {
        Some(document @ Json::Object(_)) => Compiler::new(&document, dialect).whole(union),
        Some(_) => open(dialect, "is not a schema; an object of any value is accepted"),
        None => open(dialect, "is too long, too large or too deep; an object of any value is accepted"),
    }
}

/// Returns a schema of an object that accepts anything.
fn open(dialect: Dialect, why: &str) -> (Json, Vec<Loss>, Restoration) {
    let mut losses = Losses::default();
    losses.tell("", "the schema", why);
    let compiler = Compiler::new(&Json::Null, dialect);
    let (schema, wrapped) = compiler.open();
    (schema, losses.into_told(), Restoration { wrapped, ..Restoration::default() })
}

impl Compiler<'_> {
    fn whole(mut self, union: RootUnion) -> (Json, Vec<Loss>, Restoration) {
        let (mut schema, wrapped) = self.root(union);
        let definitions = self.definitions();
        let definitions = keep_referenced(&schema, definitions);
        if let Json::Object(schema) = &mut schema
            && !definitions.is_empty()
        {
            schema.push("$defs", Json::Object(definitions));
        }
        let renamed = self.renamed.into_iter().map(|(own, shown)| (shown, own)).collect();
        let restoration = Restoration { wrapped, renamed };
        (schema, self.losses.into_told(), restoration)
    }

    fn open(&self) -> (Json, bool) {
        let kind = ("type".to_owned(), Json::text("object"));
        if self.rules.objects == Objects::Kept {
            let properties = ("properties".to_owned(), Json::Object(Members::new()));
            let more = ("additionalProperties".to_owned(), Json::Bool(true));
            return (Json::Object(Members::from_iter([kind, properties, more])), false);
        }
        let text = Members::from_iter([
            ("type".to_owned(), Json::text("string")),
            ("description".to_owned(), Json::text(format!("All arguments: {AS_TEXT}."))),
        ]);
        (self.wrap(Json::Object(text)), true)
    }

    fn wrap(&self, inner: Json) -> Json {
        let mut out = Members::new();
        out.push("type", Json::text("object"));
        out.push("properties", Json::member(WRAPPER, inner));
        out.push("required", Json::Array(vec![Json::text(WRAPPER)]));
        if self.takes("additionalProperties") {
            out.push("additionalProperties", Json::Bool(false));
        }
        Json::Object(out)
    }

    fn root(&mut self, union: RootUnion) -> (Json, bool) {
        let place = Place::default();
        let document = self.document;
        let mut members = mend(document, "", &mut self.losses);
        self.inline(&mut members, &place);
        self.merge_all(&mut members, &place);
        let kinds = members.remove("type").map(|kinds| kinds_of(&kinds));
        if kinds.is_some_and(|kinds| !kinds.contains(&Kind::Object)) {
            self.lose(&place, "type", "is sent as object: arguments are always an object");
        }
        members.set_first("type", Json::text("object"));
        let mut words = Words::default();
        if let Some(wrapped) = self.root_union(&mut members, union, &mut words, &place) {
            return (self.wrap(wrapped), true);
        }
        for word in ["not", "enum"] {
            if members.remove(word).is_some() {
                self.lose(&place, word, "is not allowed at the root, and is not sent");
            }
        }
        let is_empty = members.get("properties").and_then(Json::as_object).is_none_or(Members::is_empty);
        let takes_more = members.get("additionalProperties").is_some_and(|more| *more != Json::Bool(false));
        if self.rules.objects != Objects::Kept && is_empty && takes_more {
            self.lose(
                &place,
                "additionalProperties",
                "cannot be expressed: the arguments are requested as a string that contains JSON",
            );
            return self.open();
        }
        let members = words.into(members);
        (self.one(&members, &[Kind::Object], &place), false)
    }

    /// Resolves the branches at the root. Returns a schema if it has to be wrapped.
    fn root_union(
        &mut self,
        members: &mut Members,
        union: RootUnion,
        words: &mut Words,
        place: &Place,
    ) -> Option<Json> {
        for _ in 0..4 {
            let whole = members.clone();
            let (any, one) = (members.remove("anyOf"), members.remove("oneOf"));
            let (word, branches) = match (any, one) {
                (Some(Json::Array(any)), None) => ("anyOf", any),
                (None, Some(Json::Array(one))) => ("oneOf", one),
                (Some(Json::Array(any)), Some(_)) => {
                    self.lose(place, "oneOf", "is beside `anyOf`, and only `anyOf` is sent");
                    ("anyOf", any)
                }
                _ => return None,
            };
            let list = Json::Array(branches.clone());
            let branches = self.object_branches(word, &branches, place);
            match branches.as_slice() {
                [] => {
                    self.lose(place, word, "has no branch that is an object, and is not sent");
                    return None;
                }
                [(at, branch)] => both(members, branch, &at.path, &mut self.losses),
                many if many.iter().all(|(_, branch)| branch.keys().all(says_no_shape)) => {
                    words.value(word, &list);
                    self.lose(place, word, "states which properties belong together, which is not sent");
                    return None;
                }
                many if union == RootUnion::Merge => {
                    self.lose(place, word, "is merged: the properties that belong together are not stated");
                    *members = either(members, many, &mut self.losses);
                    return None;
                }
                _ => {
                    self.lose(
                        place,
                        word,
                        "is not allowed at the root: the arguments are requested inside one property",
                    );
                    self.tally.properties = self.tally.properties.saturating_add(1);
                    let inside = Place { depth: 1, level: 1, ..Place::default() };
                    return Some(self.members(whole, &inside));
                }
            }
            self.merge_all(members, place);
        }
        members.remove("anyOf");
        members.remove("oneOf");
        self.lose(place, "anyOf", "leads back to itself, and is not sent");
        None
    }

    /// Returns the branches that accept an object, with their references inlined.
    fn object_branches(&mut self, word: &str, branches: &[Json], place: &Place) -> Vec<(Place, Members)> {
        let mut kept = Vec::new();
        for (position, branch) in branches.iter().enumerate() {
            let place = place.same_value(word, &position.to_string());
            let expanding = self.expanding.len();
            let mut branch = mend(branch, &place.path, &mut self.losses);
            self.inline(&mut branch, &place);
            self.merge_all(&mut branch, &place);
            self.expanding.truncate(expanding);
            let kinds = branch.get("type").map(kinds_of);
            if kinds.is_none_or(|kinds| kinds.contains(&Kind::Object)) {
                branch.remove("type");
                kept.push((place, branch));
            }
        }
        kept
    }
}

/// Merges branches, and the keywords beside them, into one object that accepts every value that a branch
/// accepts.
fn either(beside: &Members, branches: &[(Place, Members)], losses: &mut Losses) -> Members {
    let none = Members::new();
    let own = beside.get("properties").and_then(Json::as_object).unwrap_or(&none);
    let own: BTreeMap<&str, &Json> = own.iter().collect();
    // The properties in the order of their first occurrence, each with its schemas in the branches.
    let mut order: Vec<&str> = Vec::new();
    let mut variants: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
    for (place, branch) in branches {
        let properties = branch.get("properties").and_then(Json::as_object).unwrap_or(&none);
        for (name, schema) in properties.iter() {
            let schema = match own.get(name) {
                Some(known) => merge(known, schema, &place.path, losses),
                None => schema.clone(),
            };
            let known = variants.entry(name).or_default();
            if known.is_empty() && !own.contains_key(name) {
                order.push(name);
            }
            known.push(schema);
        }
    }
    let joined = |name: &str, schemas: &[Json]| {
        let mut seen = BTreeSet::new();
        let mut different: Vec<Json> =
            schemas.iter().filter(|schema| seen.insert(schema.to_string())).cloned().collect();
        let one = if different.len() == 1 { different.pop() } else { None };
        (name.to_owned(), one.unwrap_or_else(|| Json::member("anyOf", Json::Array(different))))
    };
    let mut properties = Members::new();
    let beside_properties = beside.get("properties").and_then(Json::as_object).unwrap_or(&none);
    for (name, schema) in beside_properties.iter() {
        // A branch that does not mention a property accepts every value that the schema beside the branches
        // accepts, so the property is narrowed only if all branches mention it.
        match variants.get(name).filter(|schemas| schemas.len() == branches.len()) {
            Some(schemas) => {
                let (name, schema) = joined(name, schemas);
                properties.push(name, schema);
            }
            None => properties.push(name, schema.clone()),
        }
    }
    for name in order {
        let (name, schema) = joined(name, variants.get(name).map(Vec::as_slice).unwrap_or_default());
        properties.push(name, schema);
    }
    complete_root(beside, branches, properties)
}

/// Completes the merged object. A property stays required if the keywords beside the branches or all branches
/// require it.
fn complete_root(beside: &Members, branches: &[(Place, Members)], properties: Members) -> Members {
    let required = |members: &Members| -> BTreeSet<String> {
        let names = members.get("required").and_then(Json::as_array).unwrap_or_default();
        names.iter().filter_map(Json::as_str).map(str::to_owned).collect()
    };
    let always = branches.iter().map(|(_, branch)| required(branch)).reduce(|some, others| &some & &others);
    let always = &required(beside) | &always.unwrap_or_default();
    let closes = |members: &Members| members.get("additionalProperties") == Some(&Json::Bool(false));
    let mut out: Members = beside
        .iter()
        .filter(|(key, _)| !matches!(*key, "properties" | "required" | "additionalProperties"))
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect();
    out.push("properties", Json::Object(properties));
    if !always.is_empty() {
        out.push("required", Json::Array(always.into_iter().map(Json::String).collect()));
    }
    if closes(beside) || branches.iter().all(|(_, branch)| closes(branch)) {
        out.push("additionalProperties", Json::Bool(false));
    } else if let Some(more) = beside.get("additionalProperties") {
        out.push("additionalProperties", more.clone());
    }
    out
}

/// Merges two schemas that both apply to one property.
fn merge(first: &Json, second: &Json, path: &str, losses: &mut Losses) -> Json {
    let mut merged = Members::from_iter([("items".to_owned(), first.clone())]);
    let second = Members::from_iter([("items".to_owned(), second.clone())]);
    both(&mut merged, &second, path, losses);
    merged.remove("items").unwrap_or(Json::Bool(true))
}
