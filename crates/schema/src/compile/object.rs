//! Compilation of properties and objects.

use std::collections::BTreeSet;

use super::mend::{kinds_of, types};
use super::words::Words;
use super::{Compiler, Place};
use crate::json::{Json, Members};
use crate::kind::Kind;
use crate::rules::Objects;

/// Description of an object that is requested as text because the dialect cannot describe it.
/// [`crate::coerce`] parses the text.
pub(super) const AS_TEXT: &str = "a JSON object, written as text";

impl Compiler<'_> {
    pub(super) fn properties(&mut self, properties: &Members, place: &Place) -> Json {
        let mut out = Members::new();
        for (name, schema) in properties.iter() {
            let limits = self.rules.limits;
            let properties = self.tally.properties.saturating_add(1);
            let characters = self.tally.characters.saturating_add(name.len());
            if properties > limits.properties || characters > limits.characters {
                self.lose(place, "properties", "are more than can be sent");
                break;
            }
            (self.tally.properties, self.tally.characters) = (properties, characters);
            let compiled = self.schema(schema, &place.member_of("properties", name));
            let shown = self.property_key(name);
            out.push(shown, compiled);
        }
        Json::Object(out)
    }

    /// Completes an object whose keywords are compiled.
    pub(super) fn object(&mut self, mut out: Members, place: &Place, words: &mut Words) -> Members {
        self.only_known_required(&mut out, place);
        let is_root = place.depth == 0 && place.path.is_empty();
        let is_empty =
            |out: &Members| out.get("properties").and_then(Json::as_object).is_none_or(Members::is_empty);
        let too_deep = place.level >= self.rules.limits.levels;
        match self.rules.objects {
            Objects::Kept => {}
            _ if !is_root && (is_empty(&out) || too_deep) => return self.as_text(out, place, words),
            Objects::Closed => self.close(&mut out, place),
            Objects::Listed => self.list_properties(&mut out, place),
        }
        if is_root && !out.has("properties") {
            out.push("properties", Json::Object(Members::new()));
        }
        out
    }

    /// Removes names under `required` that are not properties. Most providers refuse them.
    pub(super) fn only_known_required(&mut self, out: &mut Members, place: &Place) {
        let Some(Json::Array(required)) = out.get("required").cloned() else { return };
        let is_strict = self.rules.keywords.is_some();
        let known: BTreeSet<&str> = out
            .get("properties")
            .and_then(Json::as_object)
            .map(|properties| properties.keys().collect())
            .unwrap_or_default();
        let mut kept = Vec::new();
        let mut is_short = false;
        for name in required.iter().filter_map(Json::as_str) {
            let shown = self.renamed.get(name).map_or(name, String::as_str);
            if is_strict && !known.contains(shown) {
                is_short = true;
            } else {
                kept.push(Json::text(shown));
            }
        }
        if is_short {
            self.lose(place, "required", "names an undefined property, which is not sent");
        }
        if kept.is_empty() && self.rules.objects != Objects::Closed {
            out.remove("required");
        } else {
            out.set("required", Json::Array(kept));
        }
    }

    /// Converts an object that the dialect cannot describe to a string schema.
    fn as_text(&mut self, mut out: Members, place: &Place, words: &mut Words) -> Members {
        let kinds = out.get("type").map(kinds_of).unwrap_or_default();
        let nullable = out.remove("nullable").is_some() || kinds.contains(&Kind::Null);
        self.lose(
            place,
            "properties",
            "cannot be expressed here: the object is requested as a string that contains JSON",
        );
        let mut text = Members::new();
        if self.rules.objects == Objects::Listed {
            text.push("type", types(&[Kind::String]));
            if nullable {
                text.push("nullable", Json::Bool(true));
            }
        } else if nullable {
            text.push("type", types(&[Kind::String, Kind::Null]));
        } else {
            text.push("type", types(&[Kind::String]));
        }
        if let Some(description) = out.remove("description") {
            text.push("description", description);
        }
        words.say(AS_TEXT);
        if let Some(values) = out.get("additionalProperties").filter(|values| values.as_object().is_some()) {
            words.value("of values", values);
        }
        text
    }

    /// Applies OpenAI's strict form: every property is required, optional properties accept null, and further
    /// properties are forbidden.
    fn close(&mut self, out: &mut Members, place: &Place) {
        match out.get("additionalProperties") {
            None | Some(Json::Bool(false)) => {}
            Some(_) => self.lose(
                place,
                "additionalProperties",
                "is sent as false: no other properties are \
                 possible",
            ),
        }
        let required: BTreeSet<String> = match out.get("required") {
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
            _ => BTreeSet::new(),
        };
        let properties = match out.get("properties") {
            Some(Json::Object(properties)) => properties.clone(),
            _ => Members::new(),
        };
        let names = properties.keys().map(Json::text).collect();
        let closed = properties.into_iter().map(|(name, schema)| {
            let schema = if required.contains(&name) { schema } else { nullable(schema) };
            (name, schema)
        });
        out.set("properties", Json::Object(closed.collect()));
        out.set("required", Json::Array(names));
        out.set("additionalProperties", Json::Bool(false));
    }

    /// Applies Gemini's form: the order of properties is stated, because Gemini's maps are unordered.
    fn list_properties(&mut self, out: &mut Members, place: &Place) {
        match out.remove("additionalProperties") {
            None | Some(Json::Bool(_)) => {}
            Some(_) => self.lose(place, "additionalProperties", "is not sent"),
        }
        let names: Vec<Json> = match out.get("properties") {
            Some(Json::Object(properties)) => properties.keys().map(Json::text).collect(),
            _ => Vec::new(),
        };
        if names.len() > 1 {
            out.set("propertyOrdering", Json::Array(names));
        }
    }
}

/// Extends a schema by null.
fn nullable(schema: Json) -> Json {
    let Json::Object(mut members) = schema else { return schema };
    if let Some(Json::Array(mut branches)) = members.remove("anyOf") {
        let null = Json::member("type", types(&[Kind::Null]));
        let takes_null = |branch: &Json| {
            let said = branch.as_object().and_then(|branch| branch.get("type")).map(kinds_of);
            said.is_some_and(|kinds| kinds.contains(&Kind::Null))
        };
        if !branches.iter().any(takes_null) {
            branches.push(null);
        }
        members.push("anyOf", Json::Array(branches));
        return Json::Object(members);
    }
    if let Some(reference) = members.remove("$ref") {
        let null = Json::member("type", types(&[Kind::Null]));
        members.push("anyOf", Json::Array(vec![Json::member("$ref", reference), null]));
        return Json::Object(members);
    }
    let mut kinds = members.get("type").map(kinds_of).unwrap_or_default();
    if !kinds.is_empty() && !kinds.contains(&Kind::Null) {
        kinds.push(Kind::Null);
        members.set("type", types(&kinds));
    }
    if let Some(Json::Array(values)) = members.get("enum")
        && !values.contains(&Json::Null)
    {
        let mut values = values.clone();
        values.push(Json::Null);
        members.set("enum", Json::Array(values));
    }
    Json::Object(members)
}
