//! Kinds of value that a schema accepts, as far as a parser of untyped text needs them.

use serde_json::Value;

use crate::kind::{Kind, Word, word};

/// Set of the JSON kinds that a schema accepts.
///
/// ```
/// use windlass_schema::{AcceptedKinds, WantedKind};
/// let schema = serde_json::json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
/// let wanted = AcceptedKinds::from_schema(&schema, &schema);
/// assert!(wanted.takes(WantedKind::String) && wanted.takes(WantedKind::Null));
/// assert!(!wanted.is_text());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedKinds {
    /// A bit for each accepted kind; `None` without a schema.
    kinds: Option<u8>,
}

/// Kind of a JSON value. Integers count as numbers, because their text shows the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has no others")]
pub enum WantedKind {
    /// A string.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`.
    Null,
    /// A list.
    Array,
    /// An object.
    Object,
}

/// Maximum number of references and combinations that are followed, so that a recursive schema terminates.
const DEPTH: usize = 8;
/// Maximum number of schemas that are examined, nested branches included.
const BRANCHES: usize = 256;

impl AcceptedKinds {
    /// The absence of a schema: a text is kept as a string.
    pub const UNKNOWN: Self = Self { kinds: None };
    /// The set of all kinds.
    pub const ANY: Self = Self { kinds: Some(0b11_1111) };
    const NOTHING: Self = Self { kinds: Some(0) };

    /// Returns the kinds that a schema accepts; all kinds if the schema does not restrict them. Its
    /// references are resolved against `root`.
    pub fn from_schema(schema: &Value, root: &Value) -> Self {
        Self::read(schema, root, DEPTH, &mut { BRANCHES }).unwrap_or(Self::ANY)
    }

    /// Returns whether there is a schema.
    pub fn is_known(self) -> bool {
        self.kinds.is_some()
    }

    /// Returns whether the schema accepts this kind; false without a schema.
    pub fn takes(self, kind: WantedKind) -> bool {
        self.kinds.is_some_and(|kinds| kinds & bit(kind) != 0)
    }

    /// Returns whether every text is accepted unchanged, so that it can be displayed while it arrives. This
    /// holds for a schema that accepts only strings, and without a schema.
    pub fn is_text(self) -> bool {
        self.kinds.is_none_or(|kinds| kinds == bit(WantedKind::String))
    }

    fn add(self, kind: WantedKind) -> Self {
        Self { kinds: Some(self.kinds.unwrap_or_default() | bit(kind)) }
    }

    fn or(self, other: Self) -> Self {
        Self { kinds: Some(self.kinds.unwrap_or_default() | other.kinds.unwrap_or_default()) }
    }

    fn read(schema: &Value, root: &Value, depth: usize, left: &mut usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        *left = left.checked_sub(1)?;
        let schema = resolve(schema, root);
        if let Some(kind) = schema.get("type") {
            let mut wanted = match kind {
                Value::String(name) => Self::NOTHING.add_name(name),
                Value::Array(names) => {
                    names.iter().filter_map(Value::as_str).fold(Self::NOTHING, Self::add_name)
                }
                _ => return None,
            };
            if schema.get("nullable") == Some(&Value::Bool(true)) {
                wanted = wanted.add(WantedKind::Null);
            }
            // Of the named kinds keep those of the listed values.
            return Some(Self::from_values(schema).map_or(wanted, |listed| wanted.and(listed)));
        }
        if let Some(listed) = Self::from_values(schema) {
            return Some(listed);
        }
        for (word, all) in [("anyOf", false), ("oneOf", false), ("allOf", true)] {
            if let Some(branches) = schema.get(word).and_then(Value::as_array) {
                let mut kinds = branches.iter().map(|branch| Self::read(branch, root, depth, left));
                return if all {
                    kinds.flatten().next()
                } else {
                    kinds.try_fold(Self::NOTHING, |either, branch| Some(either.or(branch?)))
                };
            }
        }
        schema.get("properties").map(|_| Self::NOTHING.add(WantedKind::Object))
    }

    /// Returns the kinds of the values under `const` or `enum`, if there is one of the two.
    fn from_values(schema: &Value) -> Option<Self> {
        if let Some(value) = schema.get("const") {
            return Some(Self::NOTHING.add(kind_of(value)));
        }
        let values = schema.get("enum")?.as_array()?;
        Some(values.iter().map(kind_of).fold(Self::NOTHING, Self::add))
    }

    /// Returns the intersection. If it is empty, the schema contradicts itself and the first set is kept.
    fn and(self, other: Self) -> Self {
        match self.kinds.unwrap_or_default() & other.kinds.unwrap_or_default() {
            0 => self,
            kinds => Self { kinds: Some(kinds) },
        }
    }

    /// Adds the kind of a word under `type`. An unknown word accepts every kind.
    fn add_name(self, name: &str) -> Self {
        match word(name) {
            Word::Kind(kind) => self.add(match kind {
                Kind::String => WantedKind::String,
                Kind::Integer | Kind::Number => WantedKind::Number,
                Kind::Boolean => WantedKind::Boolean,
                Kind::Null => WantedKind::Null,
                Kind::Array => WantedKind::Array,
                Kind::Object => WantedKind::Object,
            }),
            Word::Any | Word::Unknown => Self::ANY,
        }
    }
}

fn bit(kind: WantedKind) -> u8 {
    match kind {
        WantedKind::String => 1,
        WantedKind::Number => 2,
        WantedKind::Boolean => 4,
        WantedKind::Null => 8,
        WantedKind::Array => 16,
        WantedKind::Object => 32,
    }
}

fn kind_of(value: &Value) -> WantedKind {
    match value {
        Value::Null => WantedKind::Null,
        Value::Bool(_) => WantedKind::Boolean,
        Value::Number(_) => WantedKind::Number,
        Value::String(_) => WantedKind::String,
        Value::Array(_) => WantedKind::Array,
        Value::Object(_) => WantedKind::Object,
    }
}

/// Returns the target of a local reference in `root`, or the schema itself if it has no reference that
/// resolves.
pub fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEPTH {
        let Some(target) = schema.get("$ref").and_then(Value::as_str) else { break };
        let Some(found) = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else { break };
        schema = found;
    }
    schema
}
