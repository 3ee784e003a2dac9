//! The dialects of JSON Schema that providers take, and their rules as data.

use std::fmt;

/// What a provider takes as the schema of a tool's parameters.
///
/// ```
/// use windlass_schema::Dialect;
/// assert_eq!(Dialect::ALL.len(), 8);
/// assert_eq!(Dialect::OpenAiStrict.to_string(), "openai-strict");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI functions with `strict: true`: structured outputs.
    OpenAiStrict,
    /// OpenAI functions without, and servers that copy them.
    OpenAi,
    /// Anthropic's `input_schema`.
    Anthropic,
    /// Gemini's `parameters`: its own subset of `OpenAPI` 3.0.
    Gemini,
    /// Gemini's `parametersJsonSchema`.
    GeminiJsonSchema,
    /// Groq's functions.
    Groq,
    /// Mistral's functions.
    Mistral,
    /// llama.cpp's server, which makes a grammar of the schema.
    LlamaCpp,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::OpenAiStrict,
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::GeminiJsonSchema,
        Self::Groq,
        Self::Mistral,
        Self::LlamaCpp,
    ];

    /// The name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiStrict => "openai-strict",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::GeminiJsonSchema => "gemini-json-schema",
            Self::Groq => "groq",
            Self::Mistral => "mistral",
            Self::LlamaCpp => "llama-cpp",
        }
    }

    /// The dialect of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

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

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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

const ROOMY: Limits = Limits {
    properties: 5_000,
    levels: 32,
    enum_values: 10_000,
    long_enum_characters: usize::MAX,
    characters: usize::MAX,
    repetitions: f64::INFINITY,
};

// OpenAI, "Function calling" and its 400 answers: an array has items; the root is a plain object. Mistral and
// Anthropic take what JSON Schema 2020-12 takes. `$schema` and `$id` are left out for all: Mistral refuses them.
const LENIENT: Rules = Rules {
    keywords: None,
    references: References::Kept,
    unions: Unions::Kept,
    objects: Objects::Kept,
    types: Types::Kept,
    enums: Enums::Kept,
    formats: Formats::Kept,
    patterns: Patterns::Kept,
    keys: Keys::Kept,
    limits: ROOMY,
};

// OpenAI, "Structured model outputs", section on supported schemas, with its limits.
const STRICT: Rules = Rules {
    keywords: Some(&[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "multipleOf",
        "pattern",
        "properties",
        "required",
        "type",
    ]),
    references: References::Alone,
    unions: Unions::Annotated,
    objects: Objects::Closed,
    types: Types::Said,
    enums: Enums::Scalars,
    formats: Formats::Only(&[
        "date",
        "date-time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "time",
        "uuid",
    ]),
    patterns: Patterns::Regular,
    keys: Keys::Kept,
    limits: Limits {
        properties: 5_000,
        levels: 10,
        enum_values: 1_000,
        long_enum_characters: 15_000,
        characters: 120_000,
        repetitions: f64::INFINITY,
    },
};

// Gemini API reference, `Schema`. What its 400 answers add: a type must be said where there is no anyOf; an anyOf
// is the only field; enums are of strings; of a string's formats only `enum` and `date-time`; an object's
// properties are not empty; an unknown keyword is an error.
const GEMINI: Rules = Rules {
    keywords: Some(&[
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "nullable",
        "pattern",
        "properties",
        "propertyOrdering",
        "required",
        "type",
    ]),
    references: References::Inlined,
    unions: Unions::Alone,
    objects: Objects::Listed,
    types: Types::One,
    enums: Enums::Strings,
    formats: Formats::Only(&["date-time", "double", "float", "int32", "int64"]),
    patterns: Patterns::Regular,
    keys: Keys::Kept,
    limits: ROOMY,
};

// Gemini API reference, the list of keywords under `responseJsonSchema`; `parametersJsonSchema` takes the same.
const GEMINI_JSON_SCHEMA: Rules = Rules {
    keywords: Some(&[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "prefixItems",
        "properties",
        "required",
        "title",
        "type",
    ]),
    references: References::Alone,
    unions: Unions::Annotated,
    objects: Objects::Kept,
    types: Types::Kept,
    enums: Enums::Scalars,
    formats: Formats::Kept,
    patterns: Patterns::Kept,
    keys: Keys::Kept,
    limits: ROOMY,
};

// Groq's docs on structured outputs and its 400 answers: `required` without `properties` and `minItems` are
// refused.
const GROQ: Rules = Rules {
    keywords: Some(&[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maxLength",
        "maximum",
        "minLength",
        "minimum",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
    ]),
    references: References::Alone,
    unions: Unions::Annotated,
    objects: Objects::Kept,
    types: Types::Kept,
    enums: Enums::Scalars,
    formats: Formats::Kept,
    patterns: Patterns::Regular,
    keys: Keys::Kept,
    limits: ROOMY,
};

// llama.cpp, common/json-schema-to-grammar: `$ref` and `anyOf` hide what stands beside them, a pattern is
// anchored, and a grammar repeats nothing more than 2,000 times.
const LLAMA_CPP: Rules = Rules {
    keywords: Some(&[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "pattern",
        "prefixItems",
        "properties",
        "required",
        "title",
        "type",
    ]),
    references: References::Alone,
    unions: Unions::Annotated,
    objects: Objects::Kept,
    types: Types::Kept,
    enums: Enums::Kept,
    formats: Formats::Kept,
    patterns: Patterns::Anchored,
    keys: Keys::Kept,
    limits: Limits { repetitions: 2_000.0, ..ROOMY },
};
