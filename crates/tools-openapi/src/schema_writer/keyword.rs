//! Keywords of schemas that a tool's schema keeps.

/// Relation of a schema to the schema around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// It describes the same value.
    Same,
    /// It describes a member or an item.
    Below,
}

/// Kind of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Schema(Level),
    Schemas(Level),
    /// Schemas by name.
    Named(Level),
    Number,
    Flag,
    Word,
    Pattern,
    Type,
    Description,
    Names,
    Enum,
    Constant,
}

/// Returns the kind of a keyword, or `None` for keywords that a tool's schema does not need: those of OpenAPI
/// alone, examples, extensions, and identifiers, which would change the meaning of references.
pub(super) fn keyword(key: &str) -> Option<Keyword> {
    Some(match key {
        "not" | "if" | "then" | "else" => Keyword::Schema(Level::Same),
        "items"
        | "additionalProperties"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Keyword::Schema(Level::Below),
        "allOf" | "anyOf" | "oneOf" => Keyword::Schemas(Level::Same),
        "prefixItems" => Keyword::Schemas(Level::Below),
        "properties" | "patternProperties" => Keyword::Named(Level::Below),
        "dependentSchemas" => Keyword::Named(Level::Same),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
        | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => Keyword::Number,
        "uniqueItems" => Keyword::Flag,
        "format" | "contentEncoding" | "contentMediaType" => Keyword::Word,
        "pattern" => Keyword::Pattern,
        "type" => Keyword::Type,
        "description" | "title" => Keyword::Description,
        "required" => Keyword::Names,
        "enum" => Keyword::Enum,
        "const" | "default" => Keyword::Constant,
        _ => return None,
    })
}
