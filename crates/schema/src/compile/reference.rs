//! References: kept with their definitions, or inlined.

use std::collections::{BTreeMap, BTreeSet};

use super::mend::mend;
use super::merge::both;
use super::{Compiler, Place, is_annotation, size};
use crate::json::{Json, Members};
use crate::rules::{Keys, References};

/// Maximum length of a chain of references.
const CHAIN: usize = 16;

/// Definitions that references of the compiled schema use.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// The names with their pointers into the author's schema, in the order of first use.
    known: Vec<(String, String)>,
    /// The number of definitions that share a base name.
    names: BTreeMap<String, usize>,
    /// The names by pointer.
    by_target: BTreeMap<String, String>,
    /// The number of definitions that are compiled.
    written: usize,
    /// Results of the search for definitions that refer to themselves, by pointer.
    circles: BTreeMap<String, bool>,
}

impl Compiler<'_> {
    /// Resolves the `$ref` of a schema. Returns a schema with the reference if the dialect keeps it.
    /// Otherwise inlines the target into `members` and returns `None`.
    pub(super) fn resolve(&mut self, members: &mut Members, place: &Place) -> Option<Json> {
        for _ in 0..CHAIN {
            let Some(Json::String(reference)) = members.remove("$ref") else { return None };
            let Some(pointer) = self.target(&reference) else {
                self.lose(place, "$ref", "leads to nothing in this schema; any value is accepted");
                continue;
            };
            if self.rules.references != References::Inlined {
                let is_alone = members.keys().all(is_annotation);
                if is_alone || self.rules.references == References::Kept {
                    return Some(self.refer(pointer, std::mem::take(members), place));
                }
            }
            self.expand(pointer, members, place);
        }
        if members.remove("$ref").is_some() {
            self.lose(place, "$ref", "leads through too many others; any value is accepted");
        }
        None
    }

    /// Inlines the target of a reference.
    pub(super) fn expand(&mut self, pointer: String, members: &mut Members, place: &Place) {
        let Some(target) = self.document.pointer(&pointer) else { return };
        // A merged definition stays in `expanding` while sibling properties are compiled, which are not part
        // of it. So the list alone does not prove a cycle: only a definition that refers to itself can.
        if self.expanding.contains(&pointer) && self.leads_to_itself(&pointer) {
            self.lose(place, "$ref", "leads back to itself, and is cut here");
            // Keep the target's kind, although its content is cut.
            if let Some(kind) = target.as_object().and_then(|target| target.get("type"))
                && !members.has("type")
            {
                let kind = Members::from_iter([("type".to_owned(), kind.clone())]);
                both(
                    members,
                    &mend(&Json::Object(kind), "", &mut self.losses),
                    &place.path,
                    &mut self.losses,
                );
            }
            return;
        }
        if !self.spend(size(target, self.left.saturating_add(1))) {
            self.lose(place, "$ref", "leads to more than can be sent; any value is accepted");
            return;
        }
        let target = mend(target, &place.path, &mut self.losses);
        both(members, &target, &place.path, &mut self.losses);
        self.expanding.push(pointer);
    }

    /// Returns whether a definition refers to itself, directly or through others.
    fn leads_to_itself(&mut self, pointer: &str) -> bool {
        if let Some(known) = self.definitions.circles.get(pointer) {
            return *known;
        }
        let (mut seen, mut open) = (BTreeSet::new(), vec![pointer.to_owned()]);
        let mut is_circle = false;
        while let Some(from) = open.pop() {
            let mut schemas: Vec<&Json> = self.document.pointer(&from).into_iter().collect();
            while let Some(schema) = schemas.pop() {
                match schema {
                    Json::Array(items) => schemas.extend(items),
                    Json::Object(members) => {
                        let to = members.get("$ref").and_then(Json::as_str).and_then(|to| self.target(to));
                        is_circle |= to.as_deref() == Some(pointer);
                        open.extend(to.filter(|to| seen.insert(to.clone())));
                        schemas.extend(members.iter().map(|(_, value)| value));
                    }
                    _ => {}
                }
            }
        }
        self.definitions.circles.insert(pointer.to_owned(), is_circle);
        is_circle
    }

    /// Returns the target of a local reference in the author's schema as a JSON Pointer, or `None` if it does
    /// not exist.
    pub(super) fn target(&self, reference: &str) -> Option<String> {
        // The pointer in a fragment is percent-encoded.
        let pointer = decode_percent(reference.strip_prefix('#')?);
        self.document.pointer(&pointer).map(|_| pointer)
    }

    fn refer(&mut self, pointer: String, siblings: Members, place: &Place) -> Json {
        let name = self.definition(pointer);
        let reference = Json::text(format!("#/$defs/{name}"));
        if siblings.is_empty() {
            return Json::member("$ref", reference);
        }
        if siblings.keys().all(is_annotation) {
            let mut out = self.annotations(siblings);
            if self.rules.references == References::Kept {
                out.set_first("$ref", reference);
            } else {
                out.set("anyOf", Json::Array(vec![Json::member("$ref", reference)]));
            }
            return Json::Object(out);
        }
        let mut out = match self.typed(siblings, place) {
            Json::Object(out) => out,
            _ => Members::new(),
        };
        out.set_first("$ref", reference);
        Json::Object(out)
    }

    /// Returns the definition's name for a target, and registers the target on first use.
    fn definition(&mut self, pointer: String) -> String {
        if let Some(name) = self.definitions.by_target.get(&pointer) {
            return name.clone();
        }
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let mut base: String = last.chars().take(48).map(plain).collect();
        if base.is_empty() {
            "root".clone_into(&mut base);
        }
        let mut name = base.clone();
        while let Some(times) = self.definitions.names.get_mut(&name) {
            *times = times.saturating_add(1);
            name = format!("{base}_{times}");
        }
        self.definitions.names.insert(name.clone(), 1);
        self.tally.characters = self.tally.characters.saturating_add(name.len());
        self.definitions.by_target.insert(pointer.clone(), name.clone());
        self.definitions.known.push((name.clone(), pointer));
        name
    }

    /// Compiles the used definitions, including those that other definitions use.
    pub(super) fn definitions(&mut self) -> Members {
        let mut out = Members::new();
        while let Some((name, pointer)) = self.definitions.known.get(self.definitions.written).cloned() {
            self.definitions.written = self.definitions.written.saturating_add(1);
            let place = Place { path: pointer.clone(), ..Place::default() };
            let document = self.document;
            let target = document.pointer(&pointer).unwrap_or(&Json::Null);
            // A definition that consists of a reference to itself restricts nothing.
            let own =
                |target: &Json| target.as_object()?.get("$ref")?.as_str().and_then(|to| self.target(to));
            let compiled = if own(target).as_deref() == Some(pointer.as_str()) {
                self.lose(&place, "$ref", "leads to itself; any value is accepted");
                self.anything(Members::new())
            } else {
                self.schema(target, &place)
            };
            out.push(name, compiled);
        }
        out
    }

    /// Returns the name of a property in the compiled schema.
    pub(super) fn property_key(&mut self, name: &str) -> String {
        let is_plain = |name: &str| {
            (1..=64).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        };
        if self.rules.keys == Keys::Kept || is_plain(name) {
            return name.to_owned();
        }
        if let Some(shown) = self.renamed.get(name) {
            return shown.clone();
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        let base: String = name.chars().take(48).map(plain).collect();
        let mut salt = 0_u64;
        // Retry with another salt on a collision with a used name, however unlikely it is.
        loop {
            let shown = format!("{base}_{:08x}", hash(name, salt) & 0xffff_ffff);
            if self.shown.insert(shown.clone()) {
                self.renamed.insert(name.to_owned(), shown.clone());
                return shown;
            }
            salt = salt.saturating_add(1);
        }
    }
}

/// Keeps the definitions that the compiled schema reaches. References to the others were removed.
pub(super) fn keep_referenced(schema: &Json, mut definitions: Members) -> Members {
    let known: BTreeMap<&str, &Json> = definitions.iter().collect();
    let mut reached = BTreeSet::new();
    let mut open = vec![schema];
    while let Some(json) = open.pop() {
        match json {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => {
                let name =
                    members.get("$ref").and_then(Json::as_str).and_then(|to| to.strip_prefix("#/$defs/"));
                if let Some(name) = name
                    && reached.insert(name.to_owned())
                {
                    open.extend(known.get(name));
                }
                open.extend(members.iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    definitions.retain(|name| reached.contains(name));
    definitions
}

/// FNV-1a: equal on every machine. It need not resist attacks.
fn hash(text: &str, salt: u64) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325 ^ salt, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Decodes the percent escapes of a URL fragment.
fn decode_percent(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, more)) = rest.split_first() {
        let hex = more.get(..2).filter(|_| byte == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = more.get(2..).unwrap_or_default();
        } else {
            bytes.push(byte);
            rest = more;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
