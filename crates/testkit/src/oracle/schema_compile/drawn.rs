//! Schemas and arguments generated from bytes; small, so that names often match.

use serde_json::{Map, Value, json};
use windlass_protocol::Arguments;

/// A source of choices. After the last byte every choice is the first one.
pub(super) struct Draw<'a> {
    bytes: &'a [u8],
}

const NAMES: [&str; 5] = ["a", "b", "c", "d e", "x$"];
const TYPES: [&str; 12] = [
    "string", "integer", "number", "boolean", "object", "array", "null", "dict", "float", "tuple", "any",
    "strin",
];
const VALUES: [&str; 8] = ["\"x\"", "\"y\"", "1", "2.5", "true", "null", "[1]", "{}"];

impl<'a> Draw<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn draw_below(&mut self, end: usize) -> usize {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        usize::from(*first) % end
    }

    fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.draw_below(list.len())]
    }

    fn constant(&mut self) -> Value {
        serde_json::from_str(self.one(&VALUES)).expect("the list is JSON")
    }

    /// Generates a root schema.
    pub(super) fn schema(&mut self) -> Value {
        let mut root = self.members(4);
        if self.draw_below(2) == 0 {
            root.insert("type".to_owned(), json!("object"));
        }
        if self.draw_below(2) == 1 {
            let name = self.one(&NAMES);
            root.insert("$defs".to_owned(), json!({ name: self.inner(3), "a": self.inner(2) }));
        }
        Value::Object(root)
    }

    fn inner(&mut self, depth: usize) -> Value {
        match self.draw_below(12) {
            0 => Value::Bool(true),
            1 => json!({ "$ref": self.one(&["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/no", "x"]) }),
            _ => Value::Object(self.members(depth)),
        }
    }

    fn schemas(&mut self, depth: usize) -> Map<String, Value> {
        (0..self.draw_below(4)).map(|_| (self.one(&NAMES).to_owned(), self.inner(depth))).collect()
    }

    fn list(&mut self, depth: usize) -> Value {
        (0..=self.draw_below(3)).map(|_| self.inner(depth)).collect()
    }

    fn members(&mut self, depth: usize) -> Map<String, Value> {
        let mut members = Map::new();
        for _ in 0..=self.draw_below(4) {
            let (key, value) = self.member(depth);
            members.insert(key.to_owned(), value);
        }
        members
    }

    fn member(&mut self, depth: usize) -> (&'static str, Value) {
        let Some(depth) = depth.checked_sub(1) else { return ("type", json!(self.one(&TYPES))) };
        match self.draw_below(26) {
            0..=3 => ("type", json!(self.one(&TYPES))),
            4 => ("type", json!([self.one(&TYPES), self.one(&TYPES)])),
            5..=8 => ("properties", Value::Object(self.schemas(depth))),
            9 | 10 => ("required", (0..self.draw_below(3)).map(|_| json!(self.one(&NAMES))).collect()),
            11 => ("additionalProperties", json!(self.draw_below(2) == 1)),
            12 => ("additionalProperties", self.inner(depth)),
            13 => ("items", self.inner(depth)),
            14 => ("anyOf", self.list(depth)),
            15 => ("oneOf", self.list(depth)),
            16 => ("allOf", self.list(depth)),
            17 => ("enum", (0..=self.draw_below(3)).map(|_| self.constant()).collect()),
            18 => ("const", self.constant()),
            19 => ("description", json!("words")),
            20 => ("default", self.constant()),
            21 => ("nullable", json!(true)),
            22 => (
                self.one(&["minimum", "maxLength", "minItems", "exclusiveMaximum"]),
                json!(self.draw_below(4)),
            ),
            23 => ("pattern", json!(self.one(&["^a+$", "x", "(?=x)", "^\\d$", "^(a|b){1,3}$"]))),
            24 => ("prefixItems", self.list(depth)),
            _ => (self.one(&["not", "if", "format", "title", "$schema", "made_up"]), self.constant()),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match depth.checked_sub(1) {
            Some(depth) if self.draw_below(3) == 0 => match self.draw_below(2) {
                0 => (0..self.draw_below(3)).map(|_| self.value(depth)).collect(),
                _ => Value::Object(
                    (0..self.draw_below(3))
                        .map(|_| (self.one(&NAMES).to_owned(), self.value(depth)))
                        .collect(),
                ),
            },
            _ => self.constant(),
        }
    }

    /// Generates arguments, or returns `None` if the bytes are used up.
    pub(super) fn arguments(&mut self) -> Option<Arguments> {
        if self.bytes.is_empty() {
            return None;
        }
        let members: Map<String, Value> =
            (0..self.draw_below(4)).map(|_| (self.one(&NAMES).to_owned(), self.value(2))).collect();
        Arguments::parse(Value::Object(members).to_string()).ok()
    }
}
