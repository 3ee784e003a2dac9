//! The serde attributes that a partial struct must respect, and errors for attributes that it cannot support.

use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Path, Result, Token};

use crate::case::Case;

/// The source of the value of a member that never arrived.
#[derive(Default)]
pub(crate) enum Missing {
    /// No value, except for an `Option`.
    #[default]
    Error,
    /// `Default`.
    Default,
    /// The named function.
    Function(Path),
    /// An expression.
    Value(Expr),
}

/// The serde attributes of a struct.
#[derive(Default)]
pub(crate) struct OnStruct {
    pub(crate) case: Case,
    pub(crate) denies_unknown: bool,
    pub(crate) has_default: bool,
    pub(crate) is_renamed: bool,
}

/// The serde attributes of a field.
#[derive(Default)]
pub(crate) struct OnField {
    pub(crate) name: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) missing: Missing,
    /// True if the members of the value are members of the surrounding object.
    pub(crate) is_flat: bool,
}

impl OnStruct {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        each(attributes, |meta| {
            match name(meta).as_str() {
                "rename" => read.is_renamed = deserialize_name(meta)?.is_some(),
                "rename_all" => {
                    if let Some(case) = deserialize_name(meta)? {
                        read.case = Case::parse(&case)?;
                    }
                }
                "deny_unknown_fields" => read.denies_unknown = true,
                "default" if meta.input.peek(Token![=]) => {
                    return Err(meta.error("arguments are built by the derive: implement `Default` instead"));
                }
                "default" => read.has_default = true,
                "expecting" | "crate" => skip(meta)?,
                other => {
                    let message = format!("`#[derive(ToolArgs)]` cannot follow serde's `{other}`");
                    return Err(meta.error(message));
                }
            }
            Ok(())
        })?;
        Ok(read)
    }
}

impl OnField {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        each(attributes, |meta| {
            match name(meta).as_str() {
                "rename" => {
                    if let Some(name) = deserialize_name(meta)? {
                        read.name = Some(name.value());
                    }
                }
                "alias" => read.aliases.push(meta.value()?.parse::<LitStr>()?.value()),
                "default" if meta.input.peek(Token![=]) => {
                    read.missing = Missing::Function(meta.value()?.parse::<LitStr>()?.parse()?);
                }
                "default" => read.missing = Missing::Default,
                "flatten" => read.is_flat = true,
                // These attributes only affect serialization.
                "skip_serializing" | "skip_serializing_if" | "serialize_with" => skip(meta)?,
                "with" | "deserialize_with" => {
                    return Err(meta.error(
                        "a field of `#[derive(ToolArgs)]` is read by its type: give it a type that reads it so",
                    ));
                }
                other => {
                    let message = format!("`#[derive(ToolArgs)]` cannot follow serde's `{other}`");
                    return Err(meta.error(message));
                }
            }
            Ok(())
        })?;
        Ok(read)
    }
}

fn each(attributes: &[Attribute], mut read: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| read(&meta))?;
    }
    Ok(())
}

fn name(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.get_ident().map(|name| name.unraw().to_string()).unwrap_or_default()
}

/// Returns the text of `x = ".."` or of `x(deserialize = "..")`.
fn deserialize_name(meta: &ParseNestedMeta<'_>) -> Result<Option<LitStr>> {
    if meta.input.peek(Token![=]) {
        return meta.value()?.parse().map(Some);
    }
    let mut text = None;
    meta.parse_nested_meta(|inner| {
        let value: LitStr = inner.value()?.parse()?;
        if inner.path.is_ident("deserialize") {
            text = Some(value);
        }
        Ok(())
    })?;
    Ok(text)
}

/// Skips the value of an attribute that does not matter here.
fn skip(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        let value: Expr = meta.value()?.parse()?;
        if !matches!(value, Expr::Lit(ExprLit { lit: Lit::Str(_), .. })) {
            return Err(meta.error("expected a text"));
        }
    }
    Ok(())
}
