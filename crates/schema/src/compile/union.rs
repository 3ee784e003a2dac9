//! Compilation of `anyOf`, `oneOf` and `allOf`.

use super::mend::mend;
use super::merge::both;
use super::{Compiler, Place, is_annotation, size};
use crate::json::{Json, Members};
use crate::rules::{References, Unions};

/// Maximum number of rounds in which nested `allOf` are merged.
const BRANCHES: usize = 64;

/// Result of compiling a schema's branches.
pub(super) enum Union {
    Done(Json),
    /// The schema has no branches left; a single branch was merged into the members.
    None(Members),
}

impl Compiler<'_> {
    /// Merges `allOf` into the schema if the dialect does not accept it.
    pub(super) fn conjunction(&mut self, members: &mut Members, place: &Place) {
        if self.rules.unions != Unions::Kept {
            self.merge_all(members, place);
        }
    }

    /// Merges `allOf` into the schema.
    pub(super) fn merge_all(&mut self, members: &mut Members, place: &Place) {
        for _ in 0..BRANCHES {
            let Some(Json::Array(branches)) = members.remove("allOf") else { return };
            if !self.spend(branches.len()) {
                break;
            }
            let mut nested = Vec::new();
            for (position, branch) in branches.into_iter().enumerate() {
                let place = place.same_value("allOf", &position.to_string());
                let mut branch = mend(&branch, &place.path, &mut self.losses);
                self.inline(&mut branch, &place);
                if let Some(Json::Array(more)) = branch.remove("allOf") {
                    nested.extend(more);
                }
                both(members, &branch, &place.path, &mut self.losses);
            }
            if !nested.is_empty() {
                members.push("allOf", Json::Array(nested));
            }
        }
        if members.remove("allOf").is_some() {
            self.lose(place, "allOf", "has too many branches, and not all are sent");
        }
    }

    /// Inlines the reference of a schema in every dialect, so that the schema can be merged.
    pub(super) fn inline(&mut self, members: &mut Members, place: &Place) {
        for _ in 0..16 {
            let Some(Json::String(reference)) = members.remove("$ref") else { return };
            match self.target(&reference) {
                Some(pointer) => self.expand(pointer, members, place),
                None => self.lose(place, "$ref", "leads to nothing in this schema; any value is accepted"),
            }
        }
        members.remove("$ref");
    }

    /// Compiles `anyOf` or `oneOf` for a dialect that only has `anyOf`.
    pub(super) fn union(&mut self, mut members: Members, place: &Place) -> Union {
        for _ in 0..4 {
            let Some((word, branches)) = self.branches(&mut members, place) else {
                return Union::None(members);
            };
            let beside = members.keys().any(|key| !is_annotation(key));
            let mended: Vec<(Place, Members)> = (0_usize..)
                .zip(&branches)
                .map(|(at, branch)| {
                    let place = place.same_value(word, &at.to_string());
                    let branch = mend(branch, &place.path, &mut self.losses);
                    (place, branch)
                })
                .collect();
            // For `anyOf: [{required: [a]}, {required: [b]}]` beside properties every dialect would need a
            // copy of all properties for each branch.
            if beside && mended.iter().all(|(_, branch)| branch.keys().all(says_no_shape)) {
                let what = "states which properties belong together, which is not sent";
                self.lose(place, word, what);
                return Union::None(members);
            }
            if let [(branch_place, branch)] = mended.as_slice() {
                let mut branch = branch.clone();
                if beside || !branch.has("$ref") || self.rules.references == References::Inlined {
                    self.inline(&mut branch, branch_place);
                    both(&mut members, &branch, &branch_place.path, &mut self.losses);
                    self.conjunction(&mut members, place);
                    continue;
                }
            }
            return self.distribute_branches(members, mended);
        }
        members.remove("anyOf");
        members.remove("oneOf");
        self.lose(place, "anyOf", "is nested in itself too often, and is not sent");
        Union::None(members)
    }

    fn branches(&mut self, members: &mut Members, place: &Place) -> Option<(&'static str, Vec<Json>)> {
        let any = members.remove("anyOf");
        let one = members.remove("oneOf");
        if any.is_some() && one.is_some() {
            self.lose(place, "oneOf", "is beside `anyOf`, and only `anyOf` is sent");
        }
        match (any, one) {
            (Some(Json::Array(branches)), _) => Some(("anyOf", branches)),
            (_, Some(Json::Array(branches))) => {
                if branches.len() > 1 {
                    self.lose(place, "oneOf", "is sent as `anyOf`: more than one branch may hold");
                }
                Some(("oneOf", branches))
            }
            _ => None,
        }
    }

    /// Compiles the branches, and merges the keywords beside them into each.
    fn distribute_branches(&mut self, mut members: Members, branches: Vec<(Place, Members)>) -> Union {
        let mut beside = Members::new();
        let mut outer = Members::new();
        for (key, value) in std::mem::take(&mut members) {
            if is_annotation(&key) { outer.push(key, value) } else { beside.push(key, value) }
        }
        let beside_size = size(&Json::Object(beside.clone()), self.left.saturating_add(1));
        let mut out: Vec<Json> = Vec::new();
        for (branch_place, mut branch) in branches {
            let expanding = self.expanding.len();
            if !beside.is_empty() {
                if !self.spend(beside_size) {
                    self.lose(&branch_place, "anyOf", "is too large to be sent with all of its branches");
                    break;
                }
                self.inline(&mut branch, &branch_place);
                let mut whole = beside.clone();
                both(&mut whole, &branch, &branch_place.path, &mut self.losses);
                branch = whole;
            }
            let compiled = self.members(branch, &branch_place);
            self.expanding.truncate(expanding);
            if !out.contains(&compiled) {
                out.push(compiled);
            }
        }
        Union::Done(self.join_branches(outer, out))
    }

    /// Joins compiled branches to one schema.
    pub(super) fn join_branches(&mut self, outer: Members, branches: Vec<Json>) -> Json {
        // Flatten a branch that is a union itself.
        let mut flat: Vec<Json> = Vec::new();
        for branch in branches {
            for branch in inner_branches(&branch).unwrap_or_else(|| vec![branch]) {
                if !flat.contains(&branch) {
                    flat.push(branch);
                }
            }
        }
        if self.rules.unions == Unions::Alone {
            return self.join_alone(outer, flat);
        }
        let mut out = self.annotations(outer);
        if let [Json::Object(one)] = flat.as_slice()
            && !(one.has("$ref") && self.rules.references == References::Alone && !out.is_empty())
        {
            let mut one = one.clone();
            for (key, value) in out {
                one.set(&key, value);
            }
            return Json::Object(one);
        }
        out.push("anyOf", Json::Array(flat));
        Json::Object(out)
    }

    /// Applies Gemini's form: `nullable` represents null, and `anyOf` is the only keyword.
    fn join_alone(&mut self, outer: Members, branches: Vec<Json>) -> Json {
        let is_null = |branch: &Json| {
            branch.as_object().and_then(|branch| branch.get("type")).and_then(Json::as_str) == Some("null")
        };
        let nullable = branches.iter().any(is_null);
        let mut kept: Vec<Members> = Vec::new();
        for branch in branches.into_iter().filter(|branch| !is_null(branch)) {
            let Json::Object(mut branch) = branch else { continue };
            if nullable {
                branch.set("nullable", Json::Bool(true));
            }
            if !kept.contains(&branch) {
                kept.push(branch);
            }
        }
        let outer = self.annotations(outer);
        if kept.is_empty() {
            kept.push(Members::from_iter([("type".to_owned(), Json::text("null"))]));
        }
        if let [one] = kept.as_mut_slice() {
            for (key, value) in outer {
                one.set(&key, value);
            }
            return Json::Object(std::mem::take(one));
        }
        for branch in &mut kept {
            let words = match (outer.get("description").and_then(Json::as_str), branch.get("description")) {
                (Some(outer), Some(Json::String(own))) => format!("{outer} {own}"),
                (Some(outer), _) => outer.to_owned(),
                (None, _) => continue,
            };
            branch.set("description", Json::String(words));
        }
        let branches = kept.into_iter().map(Json::Object).collect();
        Json::member("anyOf", Json::Array(branches))
    }
}

/// Returns the branches of a schema whose only keyword is `anyOf`.
fn inner_branches(branch: &Json) -> Option<Vec<Json>> {
    let members = branch.as_object()?;
    if members.len() != 1 {
        return None;
    }
    members.get("anyOf")?.as_array().map(<[Json]>::to_vec)
}

/// Returns whether a keyword describes only which of the properties beside it are present.
pub(super) fn says_no_shape(keyword: &str) -> bool {
    is_annotation(keyword) || matches!(keyword, "required" | "not" | "minProperties" | "maxProperties")
}
