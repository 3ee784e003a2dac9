//! Rules of the providers, from their documentation and their error messages.

use super::{Enums, Formats, Keys, Limits, Objects, Patterns, References, Rules, Types, Unions};

const ROOMY: Limits = Limits {
    properties: 5_000,
    levels: 32,
    enum_values: 10_000,
    long_enum_characters: usize::MAX,
    characters: usize::MAX,
    repetitions: f64::INFINITY,
};

// OpenAI, "Function calling" and its 400 responses: an array has items; the root is a plain object. Mistral
// and Anthropic accept JSON Schema 2020-12. `$schema` and `$id` are left out for all providers, because
// Mistral refuses them.
pub(super) const LENIENT: Rules = Rules {
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
pub(super) const STRICT: Rules = Rules {
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

// Gemini API reference, `Schema`, and its 400 responses: a schema without `anyOf` needs a type; an `anyOf` is
// the only field; enums are of strings; of a string's formats only `enum` and `date-time` are accepted; an
// object's properties are not empty; an unknown keyword is an error.
pub(super) const GEMINI: Rules = Rules {
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

// Gemini API reference, the list of keywords under `responseJsonSchema`. `parametersJsonSchema` accepts the
// same.
pub(super) const GEMINI_JSON_SCHEMA: Rules = Rules {
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

// Groq's documentation of structured outputs and its 400 responses: `required` without `properties` and
// `minItems` are refused.
pub(super) const GROQ: Rules = Rules {
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

// llama.cpp, common/json-schema-to-grammar: `$ref` and `anyOf` hide the keywords beside them, a pattern is
// anchored, and a grammar allows at most 2,000 repetitions.
pub(super) const LLAMA_CPP: Rules = Rules {
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
