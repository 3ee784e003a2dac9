//! Kinds of JSON values, and the words for them in schemas.

/// Kind of a JSON value, as `type` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    Object,
    Array,
    Null,
}

/// Meaning of a word under `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The word names a kind.
    Kind(Kind),
    /// The word means any kind, such as `any`.
    Any,
    /// The word is unknown.
    Unknown,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] =
        [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::Object, Self::Array, Self::Null];

    /// Returns the word of JSON Schema for the kind.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::Null => "null",
        }
    }
}

/// Parses a word under `type`: those of JSON Schema, and those of the languages that tool lists are generated
/// from. The Berkeley function-calling list has `dict`, `float`, `tuple` and `any`, and `String` and
/// `HashMap` in its parts for Java.
pub(crate) fn word(word: &str) -> Word {
    let plain = word.trim().to_ascii_lowercase();
    // The element type of `list[int]` and `array<string>` is ignored.
    let plain = plain.split(['[', '<', '(']).next().unwrap_or_default();
    Word::Kind(match plain {
        "string" | "str" | "text" | "char" | "character" | "bytes" | "date" | "datetime" | "uuid" => {
            Kind::String
        }
        "integer" | "int" | "long" | "short" | "byte" | "int32" | "int64" | "uint" | "uint32" | "uint64"
        | "bigint" => Kind::Integer,
        "number" | "float" | "double" | "decimal" | "numeric" | "real" | "float32" | "float64" => {
            Kind::Number
        }
        "boolean" | "bool" => Kind::Boolean,
        "object" | "dict" | "dictionary" | "map" | "hashmap" | "mapping" | "record" | "struct" => {
            Kind::Object
        }
        "array" | "list" | "tuple" | "set" | "arraylist" | "sequence" | "vector" => Kind::Array,
        "null" | "none" | "nonetype" | "nil" | "void" => Kind::Null,
        "any" | "unknown" | "mixed" | "anything" | "json" | "value" => return Word::Any,
        _ => return Word::Unknown,
    })
}
