//! A schema in a provider's dialect, and the way back.

use std::collections::BTreeMap;

use windlass_protocol::{Arguments, RawJson};

use crate::compile::{WRAPPER, compile};
use crate::dialect::Dialect;
use crate::json::{Json, Members};
use crate::loss::Loss;

/// A schema in a provider's dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// What is sent. The same schema gives the same bytes everywhere (RULES N6).
    pub schema: RawJson,
    /// What it does not say, or says otherwise. Not told: that an object takes no properties but its own, or
    /// others that its author did not mention, where a dialect knows only one of the two.
    pub losses: Vec<Loss>,
    restoration: Restoration,
}

/// What has to be undone in arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Restoration {
    /// Whether the arguments stand inside of one property.
    pub(crate) wrapped: bool,
    /// Names of properties: as they are shown, and the author's.
    pub(crate) renamed: BTreeMap<String, String>,
}

/// What becomes of `anyOf` and `oneOf` at the root of a schema, where no provider takes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "kept inside or given up, there is no third")]
pub enum RootUnion {
    /// The arguments are asked for inside of one property, and [`Compiled::restore`] takes them out.
    #[default]
    Wrap,
    /// One object with the properties of all branches. Nothing has to be taken out, so arguments can be shown
    /// and judged while they arrive; which properties go together is lost.
    Merge,
}

/// How a schema is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileOptions {
    /// What becomes of `anyOf` and `oneOf` at the root.
    pub root_union: RootUnion,
}

impl CompileOptions {
    /// The same options with another treatment of `anyOf` and `oneOf` at the root.
    pub fn with_root_union(mut self, root_union: RootUnion) -> Self {
        self.root_union = root_union;
        self
    }
}

impl Dialect {
    /// Compiles a tool's schema for this dialect (RULES N5).
    ///
    /// It never fails: the worst of schemas becomes an object that takes anything, so that one bad tool never
    /// takes the others with it. What was lost is told, and arguments are checked against the author's schema
    /// all the same. A hostile schema costs no more than a large one.
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
    pub fn compile(self, schema: &RawJson) -> Compiled {
        self.compile_with(schema, CompileOptions::default())
    }

    /// As [`Dialect::compile`], with options.
    pub fn compile_with(self, schema: &RawJson, options: CompileOptions) -> Compiled {
        let (schema, losses, restoration) = compile(schema.as_str(), self, options.root_union);
        // What is written is JSON; a text that is none cannot come out.
        let schema = schema.to_string().parse().unwrap_or_default();
        Compiled { schema, losses, restoration }
    }
}

impl Compiled {
    /// Arguments that fit the compiled schema, as the author's schema has them: out of the property that they
    /// were wrapped in, with the author's names of properties. A null for an optional property and an object
    /// that was asked for as text are [`coerce`](crate::coerce)'s.
    ///
    /// A model that did not do as it was asked is taken by its word: what is not wrapped is not unwrapped.
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
        // Arguments are JSON; only those that nest too deep cannot be read, and stay as they are.
        let Ok(whole) = Json::parse(arguments.as_str()) else { return arguments.clone() };
        let inner = if self.restoration.wrapped { unwrapped(whole) } else { whole };
        let inner = if self.restoration.renamed.is_empty() { inner } else { self.with_own_names(inner) };
        Arguments::parse(inner.to_string()).unwrap_or_else(|_| arguments.clone())
    }

    /// Whether [`Compiled::restore`] has something to do. Arguments that are looked at while they arrive are
    /// not restored, so nothing can be said of them early where this is true.
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

/// What stands inside of the wrapper, if there is one and nothing beside it.
fn unwrapped(whole: Json) -> Json {
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
