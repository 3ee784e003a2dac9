//! Conversion of the document's schemas to JSON Schema, with references as `$defs`.
//!
//! Each referenced schema is written once, so the size of the result is linear in the document, and recursive schemas
//! stay recursive. A budget of schemas and bytes bounds the result: a parameter, a body or a definition that exceeds it
//! accepts any value.

mod cycle;
mod keyword;
mod translate;

use std::collections::VecDeque;

use indexmap::IndexMap;

use self::keyword::{Keyword, Level, keyword};
use self::translate::{translate_bounds, with_null};
use crate::node::{Members, Node};
use crate::text::one_line;
use crate::{OpenApi, OpenApiError};

/// Maximum number of schemas of an operation.
const MAX_SCHEMAS: usize = 10_000;
/// Maximum length of an operation's schemas in bytes, below the 256 KiB that a toolbox accepts.
const MAX_BYTES: usize = 210_000;
/// Maximum length of a description in characters, and of a title.
const MAX_DESCRIPTION: usize = 600;
const MAX_TITLE: usize = 100;
/// Maximum number of values of an enumeration. A longer one becomes a description.
const MAX_ENUM: usize = 200;
/// Cost of the punctuation around a schema and around a member, in bytes. The first has room for `nullable`.
const BRACES: usize = 2;
const MEMBER: usize = 4;
/// Maximum length of a place in errors, in bytes.
const MAX_PLACE: usize = 300;

/// Writer of the schemas of one operation.
pub(crate) struct SchemaWriter<'a> {
    api: &'a OpenApi,
    has_patterns: bool,
    left: usize,
    left_bytes: usize,
    /// The definitions by the references that lead to them.
    definitions: IndexMap<&'a str, Definition>,
    queue: VecDeque<(usize, &'a Node)>,
    /// The definition that is being written.
    current: Option<usize>,
}

#[derive(Debug, Default)]
struct Definition {
    name: String,
    schema: Option<Node>,
    /// The definitions that describe the same value.
    same: Vec<usize>,
}

impl<'a> SchemaWriter<'a> {
    pub(crate) fn new(api: &'a OpenApi, has_patterns: bool) -> Self {
        Self {
            api,
            has_patterns,
            left: MAX_SCHEMAS,
            left_bytes: MAX_BYTES,
            definitions: IndexMap::new(),
            queue: VecDeque::new(),
            current: None,
        }
    }

    /// Writes a schema of the operation. Its references are written by [`Self::finish`].
    pub(crate) fn write(&mut self, schema: &'a Node, place: &str) -> Result<Node, OpenApiError> {
        let written = self.schema(schema, place, Level::Below)?;
        Ok(if self.is_exhausted() { open() } else { written })
    }

    /// Subtracts from the budget of bytes. Returns whether it was sufficient.
    pub(crate) fn pay(&mut self, bytes: usize) -> bool {
        let is_enough = bytes < self.left_bytes;
        self.left_bytes = self.left_bytes.saturating_sub(bytes);
        is_enough
    }

    fn is_exhausted(&self) -> bool {
        self.left_bytes == 0
    }

    /// Writes the referenced schemas and returns them by their names.
    pub(crate) fn finish(mut self) -> Result<Members, OpenApiError> {
        while let Some((at, node)) = self.queue.pop_front() {
            self.current = Some(at);
            let place = self.definitions.get_index(at).map(|(reference, _)| one_line(reference, 200));
            let schema = self.schema(node, &place.unwrap_or_default(), Level::Same)?;
            if let Some((_, definition)) = self.definitions.get_index_mut(at) {
                definition.schema = Some(schema);
            }
        }
        let same: Vec<&[usize]> =
            self.definitions.values().map(|definition| definition.same.as_slice()).collect();
        if let Some(at) = cycle::find(&same) {
            let place = self.definitions.get_index(at).map(|(reference, _)| one_line(reference, 200));
            let problem = "the schema refers to itself for the same value, so it has no meaning";
            return Err(OpenApiError::document(place.unwrap_or_default(), problem));
        }
        let named = self.definitions.into_values();
        Ok(named.map(|definition| (definition.name, definition.schema.unwrap_or(Node::Bool(true)))).collect())
    }

    fn schema(&mut self, node: &'a Node, place: &str, level: Level) -> Result<Node, OpenApiError> {
        let members = match node {
            Node::Bool(flag) => return Ok(Node::Bool(*flag)),
            Node::Map(members) => members.as_ref(),
            _ => return Err(OpenApiError::document(place, "a schema is neither an object nor a boolean")),
        };
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.left_bytes = 0;
        }
        // A part of a schema could accept too little: `not` of an incomplete schema. So the whole schema is given up.
        if !self.pay(BRACES) {
            return Ok(Node::Bool(true));
        }
        if let Some(reference) = members.get("$ref") {
            let reference = reference.as_str().unwrap_or_default();
            return self.reference(reference, members, place, level);
        }
        let mut written = Members::new();
        for (key, value) in members {
            self.keyword(key, value, place, &mut written)?;
        }
        translate_bounds(members, &mut written);
        Ok(match node.is_set("nullable") {
            _ if self.is_exhausted() => Node::Bool(true),
            true => with_null(written),
            false => Node::map(written),
        })
    }

    fn reference(
        &mut self,
        reference: &'a str,
        members: &'a Members,
        place: &str,
        level: Level,
    ) -> Result<Node, OpenApiError> {
        let at = match self.definitions.get_index_of(reference) {
            Some(at) => at,
            None => self.define(reference, place)?,
        };
        if let (Level::Same, Some(current)) = (level, self.current)
            && let Some((_, definition)) = self.definitions.get_index_mut(current)
        {
            definition.same.push(at);
        }
        let name = self.definitions.get_index(at).map(|(_, definition)| definition.name.as_str());
        let target = Node::text(format!("#/$defs/{}", name.unwrap_or_default()));
        let mut written = Members::new();
        self.add("$ref", target, &mut written);
        if let Some(description) = members.get("description") {
            self.keyword("description", description, place, &mut written)?;
        }
        let is_nullable = members.get("nullable") == Some(&Node::Bool(true));
        Ok(if is_nullable { with_null(written) } else { Node::map(written) })
    }

    fn define(&mut self, reference: &'a str, place: &str) -> Result<usize, OpenApiError> {
        let node = self.api.target(reference, place)?;
        let at = self.definitions.len();
        let word = reference.rsplit('/').next().unwrap_or_default();
        let clean = |c: char| if c.is_ascii_alphanumeric() || "_.".contains(c) { c } else { '_' };
        let word: String = word.chars().take(60).map(clean).collect();
        // Two references can end in the same word. A word has no dash, so the index makes the name unique.
        let is_free = |name: &str| self.definitions.values().all(|definition| definition.name != name);
        let name = if !word.is_empty() && at < 256 && is_free(&word) { word } else { format!("{word}-{at}") };
        self.pay(name.len().saturating_add(BRACES).saturating_add(MEMBER));
        self.definitions.insert(reference, Definition { name, ..Definition::default() });
        self.queue.push_back((at, node));
        Ok(at)
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &'a Node,
        place: &str,
        written: &mut Members,
    ) -> Result<(), OpenApiError> {
        let Some(keyword) = keyword(key) else { return Ok(()) };
        match (keyword, value) {
            (Keyword::Schema(level), Node::Map(_) | Node::Bool(_)) => {
                self.pay(key.len().saturating_add(MEMBER));
                let schema = self.schema(value, &part_place(place, key), level)?;
                written.insert(key.to_owned(), schema);
            }
            (Keyword::Schemas(level), Node::List(items)) if !items.is_empty() => {
                self.pay(key.len().saturating_add(MEMBER));
                let place = part_place(place, key);
                let items = items.iter().map(|item| self.schema(item, &place, level));
                let items = items.collect::<Result<_, _>>()?;
                written.insert(key.to_owned(), Node::List(items));
            }
            (Keyword::Named(level), Node::Map(members)) => {
                self.pay(key.len().saturating_add(MEMBER));
                let schemas = self.write_named(members, &part_place(place, key), level)?;
                written.insert(key.to_owned(), schemas);
            }
            (Keyword::Number, Node::Number(_))
            | (Keyword::Flag, Node::Bool(_))
            | (Keyword::Word | Keyword::Type, Node::Text(_))
            | (Keyword::Constant, _) => self.add(key, value.clone(), written),
            (Keyword::Pattern, Node::Text(_)) if self.has_patterns => self.add(key, value.clone(), written),
            (Keyword::Type, Node::List(words)) if !words.is_empty() => self.add(key, value.clone(), written),
            (Keyword::Description, Node::Text(text)) => {
                let limit = if key == "title" { MAX_TITLE } else { MAX_DESCRIPTION };
                self.add(key, Node::Text(one_line(text, limit)), written);
            }
            (Keyword::Names, Node::List(names)) => {
                let names = names.iter().filter(|name| name.as_str().is_some());
                self.add(key, Node::List(names.cloned().collect()), written);
            }
            (Keyword::Enum, Node::List(values)) if values.len() <= MAX_ENUM && !values.is_empty() => {
                self.add(key, value.clone(), written);
            }
            (Keyword::Enum, Node::List(values)) if !written.contains_key("description") => {
                let first = values.first().map(Node::to_json).unwrap_or_default();
                let text = format!("One of {} values, such as {}.", values.len(), one_line(&first, 100));
                self.add("description", Node::Text(text), written);
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a member whose value is not a schema.
    fn add(&mut self, key: &str, value: Node, written: &mut Members) {
        let bytes = key.len().saturating_add(MEMBER).saturating_add(value.to_json().len());
        if self.pay(bytes) {
            written.insert(key.to_owned(), value);
        }
    }

    /// Writes named schemas. Properties that a request must not have are left out.
    fn write_named(&mut self, members: &'a Members, place: &str, level: Level) -> Result<Node, OpenApiError> {
        let mut written = Members::new();
        for (name, schema) in members.iter().filter(|(_, schema)| !schema.is_set("readOnly")) {
            // The name as JSON has quotes of its own.
            if !self.pay(Node::text(name).to_json().len().saturating_add(BRACES)) {
                break;
            }
            let schema = self.schema(schema, &part_place(place, name), level)?;
            written.insert(name.clone(), schema);
        }
        Ok(Node::map(written))
    }
}

/// Returns the place of a part of a schema, for errors.
fn part_place(place: &str, name: &str) -> String {
    if place.len() < MAX_PLACE { format!("{place}/{}", one_line(name, 60)) } else { place.to_owned() }
}

/// Returns the replacement of a schema beyond the budget.
fn open() -> Node {
    Node::map_of("description", Node::text("Too large to be described; any value is accepted here."))
}
