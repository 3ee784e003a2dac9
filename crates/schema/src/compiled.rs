//! Schemas compiled for a provider's dialect, with the conversion of arguments back to the author's schema.

use std::collections::BTreeMap;

use windlass_protocol::{Arguments, RawJson};

use crate::compile::{WRAPPER, compile};
use crate::dialect::Dialect;
use crate::json::{Json, Members};
use crate::loss::Loss;

/// A tool's schema in a provider's dialect.
///
/// Send [`schema`](Self::schema) with the request, pass the arguments of a call through
/// [`restore`](Self::restore), and check the result against the author's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompiledSchema {
    /// The schema for the request. Equal input gives equal bytes on every machine (RULES N6).
    pub schema: RawJson,
    /// The parts of the author's schema that it omits or changes. Not reported: `additionalProperties: false`
    /// in a dialect that cannot express it, and an object that a dialect closes although its author did not
    /// mention further properties.
    pub losses: Vec<Loss>,
    restoration: Restoration,
}

/// Changes of the schema that have to be undone in arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Restoration {
    /// True if the arguments are wrapped in one property.
    pub(crate) wrapped: bool,
    /// The author's property names by the names in the compiled schema.
    pub(crate) renamed: BTreeMap<String, String>,
}

/// Treatment of `anyOf` and `oneOf` at the root of a schema, where providers do not accept them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "kept inside or given up; the set is closed")]
pub enum RootUnion {
    /// The arguments are wrapped in one property, and [`CompiledSchema::restore`] unwraps them.
    #[default]
    Wrap,
    /// The branches are merged into one object with all of their properties. Arguments need no unwrapping, so
    /// they can be displayed and checked while they arrive. The schema no longer shows which properties
    /// belong together.
    Merge,
}

/// Options of a compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileOptions {
    /// The treatment of `anyOf` and `oneOf` at the root.
    pub root_union: RootUnion,
}

impl CompileOptions {
    /// Sets the treatment of `anyOf` and `oneOf` at the root.
    pub fn with_root_union(mut self, root_union: RootUnion) -> Self {
        self.root_union = root_union;
        self
    }
}

impl Dialect {
    /// Compiles a tool's schema for this dialect (RULES N5).
    ///
    /// Compiling never fails: an unusable schema becomes an object that accepts anything, so one bad tool
    /// does not affect the others. Losses are reported, and arguments are checked against the author's schema
    /// in any case. The work is bounded, also for a hostile schema.
    ///
    /// ```
    /// use windlass_protocol::{Arguments, RawJson};
    /// use windlass_schema::Dialect;
    ///
    /// let schema: RawJson = r#"{"type":"dict","properties":{"n":{"type":"float"}},"required":["n"]}"#.parse()?;
    /// let compiled = Dialect::OpenAi.compile(&schema);
    /// assert_eq!(
    ///     compiled.schema.as_str(),
    ///     r#"{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#
    /// );
    /// assert!(compiled.losses.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compile(self, schema: &RawJson) -> CompiledSchema {
        self.compile_with(schema, CompileOptions::default())
    }

    /// Compiles a tool's schema like [`Dialect::compile`], with options.
    pub fn compile_with(self, schema: &RawJson, options: CompileOptions) -> CompiledSchema {
        let (schema, losses, restoration) = compile(schema.as_str(), self, options.root_union);
        // `Display` of `Json` writes valid JSON, so parsing it cannot fail.
        let schema = schema.to_string().parse().unwrap_or_default();
        CompiledSchema { schema, losses, restoration }
    }
}

impl CompiledSchema {
    /// Maps arguments from the compiled schema back to the author's: unwraps the root property and restores
    /// property names. A null for an optional property, and an object that was requested as text, are left to
    /// [`coerce`](crate::coerce).
    ///
    /// Arguments that are not wrapped, although the schema requests it, are not unwrapped.
    ///
    /// ```
    /// use windlass_protocol::{Arguments, RawJson};
    /// use windlass_schema::Dialect;
    ///
    /// let schema: RawJson = r#"{"anyOf":[
    ///     {"properties":{"path":{"type":"string"}},"required":["path"]},
    ///     {"properties":{"url":{"type":"string"}},"required":["url"]}]}"#.parse()?;
    /// let compiled = Dialect::Anthropic.compile(&schema);
    /// let arguments = compiled.restore(&Arguments::parse(r#"{"arguments":{"path":"a"}}"#)?);
    /// assert_eq!(arguments.as_str(), r#"{"path":"a"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore(&self, arguments: &Arguments) -> Arguments {
        if !self.has_restoration() {
            return arguments.clone();
        }
        // Arguments are JSON, so parsing fails only if they nest too deep. Such arguments stay unchanged.
        let Ok(whole) = Json::parse(arguments.as_str()) else { return arguments.clone() };
        let inner = if self.restoration.wrapped { unwrap_object(whole) } else { whole };
        let inner = if self.restoration.renamed.is_empty() { inner } else { self.with_own_names(inner) };
        Arguments::parse(inner.to_string()).unwrap_or_else(|_| arguments.clone())
    }

    /// Returns whether [`CompiledSchema::restore`] can change arguments. Partial arguments cannot be restored, so a
    /// caller cannot check them early if this is true.
    pub fn has_restoration(&self) -> bool {
        self.restoration.wrapped || !self.restoration.renamed.is_empty()
    }

    fn with_own_names(&self, json: Json) -> Json {
        match json {
            Json::Array(items) => {
                Json::Array(items.into_iter().map(|item| self.with_own_names(item)).collect())
            }
            Json::Object(members) => {
                let own = |name: String| self.restoration.renamed.get(&name).cloned().unwrap_or(name);
                let members =
                    members.into_iter().map(|(name, value)| (own(name), self.with_own_names(value)));
                Json::Object(members.collect())
            }
            other => other,
        }
    }
}

/// Returns the object inside the wrapper, if the wrapper is the only property.
fn unwrap_object(whole: Json) -> Json {
    let inner = match &whole {
        Json::Object(members) if members.len() == 1 => members.get(WRAPPER).cloned(),
        _ => None,
    };
    match inner {
        Some(inner @ Json::Object(_)) => inner,
        Some(Json::String(text)) => match Json::parse(&text) {
            Ok(inner @ Json::Object(Members { .. })) => inner,
            _ => whole,
        },
        _ => whole,
    }
}
