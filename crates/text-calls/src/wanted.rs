//! What a schema wants of a value, as far as it matters for reading the value out of text.

use serde_json::Value;

/// Which kinds of value a schema takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of JSON's kinds")]
pub(crate) struct Wanted {
    /// Whether there is a schema at all.
    pub(crate) known: bool,
    pub(crate) string: bool,
    pub(crate) number: bool,
    pub(crate) boolean: bool,
    pub(crate) null: bool,
    pub(crate) array: bool,
    pub(crate) object: bool,
}

/// How many references and combinations are followed; a schema that refers to itself ends here.
const DEPTH: usize = 8;

impl Wanted {
    /// Nothing is known, so the text stays what it is.
    pub(crate) const UNKNOWN: Self = Self {
        known: false,
        string: false,
        number: false,
        boolean: false,
        null: false,
        array: false,
        object: false,
    };
    /// Everything is taken.
    pub(crate) const ANY: Self = Self {
        known: true,
        string: true,
        number: true,
        boolean: true,
        null: true,
        array: true,
        object: true,
    };

    /// What a schema wants; `root` is where its references lead.
    pub(crate) fn of(schema: &Value, root: &Value) -> Self {
        Self::read(schema, root, DEPTH).unwrap_or(Self::ANY)
    }

    /// Whether a text is taken as it is, so that it can be shown while it grows.
    pub(crate) fn is_text(self) -> bool {
        !self.known
            || (self.string && !(self.number || self.boolean || self.null || self.array || self.object))
    }

    fn read(schema: &Value, root: &Value, depth: usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        let schema = resolve(schema, root);
        if let Some(kind) = schema.get("type") {
            let mut wanted = Self { known: true, ..Self::default() };
            match kind {
                Value::String(name) => wanted.add(name),
                Value::Array(names) => {
                    names.iter().filter_map(Value::as_str).for_each(|name| wanted.add(name));
                }
                _ => return None,
            }
            wanted.null |= schema.get("nullable").and_then(Value::as_bool).unwrap_or(false);
            return Some(wanted);
        }
        if let Some(value) = schema.get("const") {
            return Some(Self::of_values(std::slice::from_ref(value)));
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return Some(Self::of_values(values));
        }
        for (word, all) in [("anyOf", false), ("oneOf", false), ("allOf", true)] {
            if let Some(branches) = schema.get(word).and_then(Value::as_array) {
                let kinds = branches.iter().map(|branch| Self::read(branch, root, depth));
                return if all { kinds.flatten().next() } else { kinds.reduce(either).flatten() };
            }
        }
        (schema.get("properties").is_some()).then(|| Self { known: true, object: true, ..Self::default() })
    }

    fn of_values(values: &[Value]) -> Self {
        let mut wanted = Self { known: true, ..Self::default() };
        for value in values {
            wanted.add(match value {
                Value::Null => "null",
                Value::Bool(_) => "boolean",
                Value::Number(_) => "number",
                Value::String(_) => "string",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
            });
        }
        wanted
    }

    fn add(&mut self, kind: &str) {
        match kind {
            "string" => self.string = true,
            "number" | "integer" | "float" => self.number = true,
            "boolean" => self.boolean = true,
            "null" => self.null = true,
            "array" => self.array = true,
            "object" | "dict" => self.object = true,
            // A kind that JSON Schema does not have takes whatever comes.
            _ => *self = Self::ANY,
        }
    }
}

fn either(left: Option<Wanted>, right: Option<Wanted>) -> Option<Wanted> {
    let (left, right) = (left?, right?);
    Some(Wanted {
        known: true,
        string: left.string || right.string,
        number: left.number || right.number,
        boolean: left.boolean || right.boolean,
        null: left.null || right.null,
        array: left.array || right.array,
        object: left.object || right.object,
    })
}

/// The schema that a local reference leads to, or the schema itself.
pub(crate) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEPTH {
        let Some(target) = schema.get("$ref").and_then(Value::as_str) else { break };
        let Some(found) = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else { break };
        schema = found;
    }
    schema
}
