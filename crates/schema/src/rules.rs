//! Rules of the dialects, as data.

mod providers;

use crate::dialect::Dialect;

use self::providers::{GEMINI, GEMINI_JSON_SCHEMA, GROQ, LENIENT, LLAMA_CPP, STRICT};

/// Rules of a dialect. At the root every dialect accepts only an object without `anyOf`, `oneOf`, `allOf`,
/// `not` and `enum`: OpenAI and Anthropic refuse those keywords there, and arguments are always an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The accepted keywords; `None` for all of JSON Schema 2020-12.
    pub(crate) keywords: Option<&'static [&'static str]>,
    pub(crate) references: References,
    pub(crate) unions: Unions,
    pub(crate) objects: Objects,
    pub(crate) types: Types,
    pub(crate) enums: Enums,
    pub(crate) formats: Formats,
    pub(crate) patterns: Patterns,
    pub(crate) keys: Keys,
    pub(crate) limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum References {
    /// `$ref` is accepted beside other keywords.
    Kept,
    /// `$ref` is accepted as the only keyword.
    Alone,
    /// `$ref` is not accepted. Its target is inlined.
    Inlined,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unions {
    /// `anyOf`, `oneOf` and `allOf` are accepted beside other keywords.
    Kept,
    /// `anyOf` is accepted beside annotations only.
    Annotated,
    /// `anyOf` is accepted as the only keyword, without a description.
    Alone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Objects {
    Kept,
    /// All properties are required and no others are allowed. An open object is requested as text.
    Closed,
    /// An object lists at least one property. An open object is requested as text.
    Listed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types {
    /// A list of types is accepted, and the type may be missing.
    Kept,
    /// A list of types is accepted, and at least one type is required.
    Said,
    /// Exactly one type is required, and `nullable` represents null.
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enums {
    Kept,
    /// Strings, numbers, booleans and null are accepted.
    Scalars,
    Strings,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Formats {
    Kept,
    Only(&'static [&'static str]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patterns {
    Kept,
    /// Patterns without look-around and back-references are accepted.
    Regular,
    /// Patterns that llama.cpp can translate to a grammar are accepted: from `^` to `$`, with plain groups
    /// and classes.
    Anchored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    Kept,
    /// `^[a-zA-Z0-9_.-]{1,64}$`.
    Plain,
}

/// Size limits of a dialect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The maximum number of properties in the whole schema.
    pub(crate) properties: usize,
    /// The maximum nesting depth of objects and lists.
    pub(crate) levels: usize,
    /// The maximum number of enum values in the whole schema.
    pub(crate) enum_values: usize,
    /// The maximum number of characters of the strings of one enum with more than 250 values.
    pub(crate) long_enum_characters: usize,
    /// The maximum number of characters of property names, definition names and enum values together.
    pub(crate) characters: usize,
    /// The maximum of `minItems`, `maxItems`, `minLength` and `maxLength`.
    pub(crate) repetitions: f64,
}

impl Dialect {
    pub(crate) fn rules(self) -> Rules {
        match self {
            Self::OpenAiStrict => STRICT,
            Self::OpenAi | Self::Mistral => LENIENT,
            Self::Anthropic => Rules { keys: Keys::Plain, ..LENIENT },
            Self::Gemini => GEMINI,
            Self::GeminiJsonSchema => GEMINI_JSON_SCHEMA,
            Self::Groq => GROQ,
            Self::LlamaCpp => LLAMA_CPP,
        }
    }
}
