//! What a dialect takes, as data.

mod providers;

use crate::dialect::Dialect;

use self::providers::{GEMINI, GEMINI_JSON_SCHEMA, GROQ, LENIENT, LLAMA_CPP, STRICT};

/// What a dialect takes. At the root no dialect takes anything but an object without `anyOf`, `oneOf`, `allOf`,
/// `not` and `enum`: OpenAI and Anthropic refuse those there, and arguments are an object anyway.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The keywords that are taken; without a list all of JSON Schema 2020-12.
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
    /// `$ref` beside other keywords.
    Kept,
    /// `$ref` alone.
    Alone,
    /// No `$ref`: what it leads to is written in its place.
    Inlined,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unions {
    /// `anyOf`, `oneOf` and `allOf` beside other keywords.
    Kept,
    /// `anyOf` beside annotations only.
    Annotated,
    /// `anyOf` beside nothing, not even a description.
    Alone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Objects {
    Kept,
    /// All properties required, no others; what is open goes as text.
    Closed,
    /// An object has properties, and at least one; what is open goes as text.
    Listed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types {
    /// Lists of types, and none where anything is taken.
    Kept,
    /// Lists of types, and always one.
    Said,
    /// Always exactly one, and `nullable` for null.
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enums {
    Kept,
    /// Strings, numbers, booleans and null.
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
    /// Without looking around.
    Regular,
    /// What llama.cpp's translation to a grammar reads: from `^` to `$`, plain groups and classes.
    Anchored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    Kept,
    /// `^[a-zA-Z0-9_.-]{1,64}$`.
    Plain,
}

/// How much is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Properties in the whole schema.
    pub(crate) properties: usize,
    /// How deep objects and lists nest.
    pub(crate) levels: usize,
    /// Enum values in the whole schema.
    pub(crate) enum_values: usize,
    /// Characters of the strings of one enum that is longer than 250 values.
    pub(crate) long_enum_characters: usize,
    /// Characters of property names, definition names and enum values together.
    pub(crate) characters: usize,
    /// Repetitions that `minItems`, `maxLength` and the like may ask for.
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
