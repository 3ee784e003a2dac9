//! A second, independent implementation of each provider's schema rules: a walker that shares no code with
//! the compiler.

use serde_json::{Map, Value};
use windlass_schema::Dialect;

/// Returns the reasons why a provider would refuse the schema; empty if it accepts it.
pub fn refusals(dialect: Dialect, schema: &Value) -> Vec<String> {
    let mut walker = Walker { dialect, root: schema, refusals: Vec::new(), properties: 0, enum_values: 0 };
    walker.root();
    walker.refusals
}

struct Walker<'a> {
    dialect: Dialect,
    root: &'a Value,
    refusals: Vec<String>,
    properties: usize,
    enum_values: usize,
}

const STRICT: &str = "type properties required additionalProperties items enum anyOf $ref $defs description \
    pattern format multipleOf maximum exclusiveMaximum minimum exclusiveMinimum minItems maxItems";
const GEMINI: &str = "type format description nullable enum items minItems maxItems properties required \
    propertyOrdering anyOf minimum maximum minLength maxLength pattern";
const GEMINI_JSON: &str = "type title description format enum items prefixItems minItems maxItems minimum maximum \
    anyOf oneOf properties additionalProperties required $defs $ref";
const TYPES: &[&str] = &["string", "number", "integer", "boolean", "object", "array", "null"];

impl Walker<'_> {
    fn refuse(&mut self, path: &str, why: &str) {
        self.refusals.push(format!("{path}: {why}"));
    }

    fn root(&mut self) {
        let root = self.root;
        if root.get("type") != Some(&Value::from("object")) {
            self.refuse("", "the root is not an object");
        }
        if root.get("properties").is_none_or(|properties| !properties.is_object()) {
            self.refuse("", "the root has no properties");
        }
        for word in ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"] {
            if root.get(word).is_some() {
                self.refuse("", &format!("{word} at the root"));
            }
        }
        self.schema(root, "", 1);
        if let Some(definitions) = root.get("$defs").and_then(Value::as_object) {
            for (name, schema) in definitions {
                self.schema(schema, &format!("/$defs/{name}"), 1);
            }
        }
        if self.dialect == Dialect::OpenAiStrict {
            if self.properties > 5000 {
                self.refuse("", "more than 5,000 properties");
            }
            if self.enum_values > 1000 {
                self.refuse("", "more than 1,000 enum values");
            }
        }
    }

    fn schema(&mut self, schema: &Value, path: &str, level: usize) {
        let Value::Object(members) = schema else {
            let is_allowed = schema.is_boolean() && path.ends_with("additionalProperties");
            if !is_allowed {
                self.refuse(path, "no schema");
            }
            return;
        };
        if self.dialect == Dialect::LlamaCpp && members.is_empty() {
            self.refuse(path, "an empty schema, which is read as an object");
        }
        self.keywords(members, path);
        self.types(members, path);
        self.object(members, path, level);
        self.shapes(members, path);
        self.reference(members, path);
        let nested = |key: &str| members.get(key).and_then(Value::as_object);
        for key in ["properties", "patternProperties", "dependentSchemas"] {
            for (name, schema) in nested(key).into_iter().flatten() {
                self.schema(schema, &format!("{path}/{key}/{name}"), level + 1);
            }
        }
        for key in ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]
        {
            if let Some(schema) = members.get(key) {
                self.schema(schema, &format!("{path}/{key}"), level);
            }
        }
        for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            let Some(list) = members.get(key) else { continue };
            let branches = list.as_array().filter(|branches| !branches.is_empty());
            if branches.is_none() {
                self.refuse(path, &format!("{key} is not a list of schemas"));
            }
            for (at, schema) in branches.into_iter().flatten().enumerate() {
                self.schema(schema, &format!("{path}/{key}/{at}"), level);
            }
        }
    }

    fn keywords(&mut self, members: &Map<String, Value>, path: &str) {
        let known = match self.dialect {
            Dialect::OpenAiStrict => STRICT,
            Dialect::Gemini => GEMINI,
            Dialect::GeminiJsonSchema => GEMINI_JSON,
            _ => "",
        };
        for key in members.keys() {
            if !known.is_empty() && !known.split_whitespace().any(|word| word == key) {
                self.refuse(path, &format!("the keyword {key}"));
            }
            if ["$schema", "$id"].contains(&key.as_str()) {
                self.refuse(path, &format!("the keyword {key}"));
            }
            if self.dialect == Dialect::Groq
                && ["minItems", "maxItems", "allOf", "oneOf"].contains(&key.as_str())
            {
                self.refuse(path, &format!("the keyword {key}"));
            }
        }
        let beside = members.keys().filter(|key| *key != "anyOf" && *key != "description").count();
        let has_any = members.contains_key("anyOf");
        if self.dialect == Dialect::Gemini && has_any && members.len() > 1 {
            self.refuse(path, "something beside anyOf");
        }
        if self.dialect == Dialect::LlamaCpp && has_any && beside > 0 && members.contains_key("properties") {
            self.refuse(path, "anyOf hides the keywords beside it");
        }
        if self.dialect == Dialect::OpenAiStrict && has_any && beside > 0 {
            self.refuse(path, "something beside anyOf");
        }
    }

    fn types(&mut self, members: &Map<String, Value>, path: &str) {
        let dialect = self.dialect;
        match members.get("type") {
            None => {
                let says = members.contains_key("anyOf") || members.contains_key("$ref");
                if matches!(dialect, Dialect::OpenAiStrict | Dialect::Gemini) && !says {
                    self.refuse(path, "no type");
                }
            }
            Some(Value::String(word)) if TYPES.contains(&word.as_str()) => {}
            Some(Value::Array(words)) if dialect != Dialect::Gemini && !words.is_empty() => {
                for (at, word) in words.iter().enumerate() {
                    if !word.as_str().is_some_and(|word| TYPES.contains(&word)) || words[..at].contains(word)
                    {
                        self.refuse(path, &format!("the type {word}"));
                    }
                }
            }
            Some(other) => self.refuse(path, &format!("the type {other}")),
        }
        let has = |word: &str| match members.get("type") {
            Some(Value::String(one)) => one == word,
            Some(Value::Array(words)) => words.iter().any(|one| one == word),
            _ => false,
        };
        let needs_items = dialect != Dialect::Anthropic;
        if needs_items && has("array") && !members.contains_key("items") {
            self.refuse(path, "a list without items");
        }
        if let Some(values) = members.get("enum") {
            let Some(values) = values.as_array().filter(|values| !values.is_empty()) else {
                return self.refuse(path, "an enum that is not a list");
            };
            self.enum_values += values.len();
            for value in values {
                let word = match value {
                    Value::String(_) => "string",
                    Value::Bool(_) => "boolean",
                    Value::Null => "null",
                    Value::Number(_) => "number",
                    Value::Array(_) => "array",
                    Value::Object(_) => "object",
                };
                let fits = has(word) || word == "number" && has("integer") || !members.contains_key("type");
                if !fits || dialect == Dialect::Gemini && word != "string" {
                    self.refuse(path, &format!("the enum value {value}"));
                }
            }
        }
    }

    fn object(&mut self, members: &Map<String, Value>, path: &str, level: usize) {
        let properties = members.get("properties");
        let names: Vec<&String> =
            properties.and_then(Value::as_object).map(|all| all.keys().collect()).unwrap_or_default();
        self.properties += names.len();
        if properties.is_some_and(|properties| !properties.is_object()) {
            self.refuse(path, "properties that are not an object");
        }
        if let Some(required) = members.get("required") {
            let listed = required.as_array().cloned().unwrap_or_default();
            let is_list = required.is_array() && listed.iter().all(Value::is_string);
            if !is_list {
                self.refuse(path, "required is not a list of names");
            }
            let is_known = |name: &Value| names.iter().any(|known| name == *known);
            if matches!(self.dialect, Dialect::Groq | Dialect::Gemini | Dialect::OpenAiStrict)
                && !listed.iter().all(is_known)
            {
                self.refuse(path, "required names an unknown property");
            }
        }
        let is_object = match members.get("type") {
            Some(Value::Array(words)) => words.contains(&Value::from("object")),
            other => other == Some(&Value::from("object")),
        };
        match self.dialect {
            Dialect::OpenAiStrict if is_object => {
                let required = members.get("required").and_then(Value::as_array).map_or(0, Vec::len);
                if required != names.len() {
                    self.refuse(path, "not all properties are required");
                }
                if members.get("additionalProperties") != Some(&Value::Bool(false)) {
                    self.refuse(path, "an object that is not closed");
                }
                if level > 10 {
                    self.refuse(path, "more than 10 levels");
                }
            }
            Dialect::Gemini if is_object && names.is_empty() && !path.is_empty() => {
                self.refuse(path, "an object without properties");
            }
            Dialect::Anthropic => {
                for name in names {
                    let is_plain =
                        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
                    if name.is_empty() || name.len() > 64 || !is_plain {
                        self.refuse(path, &format!("the property name {name:?}"));
                    }
                }
            }
            _ => {}
        }
    }

    /// Checks the shapes of values against the meta-schema; Anthropic checks them.
    fn shapes(&mut self, members: &Map<String, Value>, path: &str) {
        for (key, value) in members {
            let fits = match key.as_str() {
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                    value.is_u64()
                }
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                    value.is_number()
                }
                "description" | "title" | "pattern" | "$ref" => value.is_string(),
                "uniqueItems" | "nullable" => value.is_boolean(),
                "format" => match (self.dialect, value.as_str()) {
                    (_, None) => false,
                    (Dialect::Gemini, Some(format)) => {
                        ["date-time", "float", "double", "int32", "int64"].contains(&format)
                    }
                    _ => true,
                },
                _ => true,
            };
            if !fits {
                self.refuse(path, &format!("{key}: {value}"));
            }
        }
        if self.dialect == Dialect::LlamaCpp {
            for word in ["minItems", "maxItems", "minLength", "maxLength"] {
                if members.get(word).and_then(Value::as_u64).is_some_and(|count| count > 2000) {
                    self.refuse(path, &format!("{word} repeats too much"));
                }
            }
            if let Some(pattern) = members.get("pattern").and_then(Value::as_str)
                && !(pattern.starts_with('^') && pattern.ends_with('$'))
            {
                self.refuse(path, "a pattern that is not anchored");
            }
        }
    }

    fn reference(&mut self, members: &Map<String, Value>, path: &str) {
        let Some(target) = members.get("$ref") else { return };
        let name = target.as_str().and_then(|target| target.strip_prefix("#/$defs/"));
        let defined = |name| self.root.get("$defs").and_then(|all| all.get(name));
        if name.and_then(defined).is_none() {
            self.refuse(path, &format!("the reference {target}"));
        }
        let is_alone = members.len() == 1;
        if self.dialect == Dialect::Gemini || self.dialect == Dialect::OpenAiStrict && !is_alone {
            self.refuse(path, "a reference");
        }
    }
}
